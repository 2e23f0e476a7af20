// The contract of the file port on each of its implementations.
import { memoryFiles } from '../support/memoryFiles.ts';
import { diskWorkspace } from '../support/diskWorkspace.ts';
import { fileContract } from '../support/fileContract.ts';

fileContract('a workspace on the disk', () => diskWorkspace());

fileContract('files in memory', () => {
  const files = memoryFiles();
  return {
    files,
    root: '/repo',
    put: (path, bytes) => void files.bytes.set(path, bytes),
    get: (path) => {
      const bytes = files.bytes.get(path);
      return bytes === undefined ? null : Buffer.from(bytes);
    },
    remove: (path) => void files.bytes.delete(path),
    all: () => [...files.bytes.keys()].sort(),
    link: (path, target) => void files.links.set(path, target),
    dispose: () => undefined,
  };
});
