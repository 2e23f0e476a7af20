// The file port: how the engine sees and changes the files of the workspace. Part of engine/ports.ts, which hands it on.
import type { TextFormat } from '../core/edits/textFormat.ts';
import type { Result } from './result.ts';

/** A text file as it is on disk or in an open buffer. */
export interface FileState {
  readonly exists: boolean;
  /** Without its byte order mark; line endings as they are. */
  readonly text: string;
  /** How `text` is written as bytes; of a file that does not exist: UTF-8 without a mark. */
  readonly format: TextFormat;
  /** SHA-256 hex of the bytes; `null` when it does not exist. */
  readonly hash: string | null;
  /** Version of the open, unsaved buffer; `null` when there is none. */
  readonly dirtyVersion: number | null;
}

/** What stands at a path, whatever it holds. Links are followed; one that leads nowhere or out of the workspace is an error. */
export interface FileFacts {
  readonly kind: 'missing' | 'file' | 'folder' | 'other';
  /** SHA-256 hex of a file's bytes on the disk; null for everything else. */
  readonly hash: string | null;
  readonly sizeBytes: number;
  /** Permission bits; 0 for a missing one. */
  readonly mode: number;
  /** The path itself is a symbolic link to what is told here. Left out: it is none. */
  readonly isLink?: true;
}

/** New content of a file: a text in its format, or the kept bytes of a before-image. */
type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly format: TextFormat }
  | { readonly kind: 'image'; readonly hash: string };

/** One change of one file. `expectedHash` is what must be there (null: nothing). `mode`: permission bits of a file that is made. */
export type FileWrite =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: FileContent;
      readonly expectedHash: string | null;
      readonly mode?: number;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly expectedHash: string };

/**
 * What became of one file of an `apply`. `changed`: it has the new content. `restored`: it was changed and has its old bytes
 * again. `untouched`: it was not changed. `damaged`: it was changed and could not be brought back; `reason` says where the old
 * bytes are.
 */
export interface FileReport {
  readonly path: string;
  readonly outcome: 'changed' | 'restored' | 'untouched' | 'damaged';
  /** SHA-256 hex of what is there now; null: nothing. */
  readonly hash: string | null;
  readonly reason: string | null;
}

/** `ok`: every file is changed. Otherwise none is, except those reported as `damaged`. */
export interface AppliedFiles {
  readonly ok: boolean;
  readonly files: readonly FileReport[];
  /** What went wrong and what to do; null when `ok`. */
  readonly error: string | null;
}

/**
 * Files of the workspace. Paths are relative to its root with `/`; where the window has several folders, the first part is
 * the folder's name. An absolute path inside the workspace is taken, too; `locate` tells the name that the ledger keeps.
 */
export interface FilePort {
  /** The one name of a path: links in folders, `.` and letter case as on the disk. An error for what lies outside. */
  locate(path: string): Promise<Result<string, string>>;
  read(path: string): Promise<Result<FileState, string>>;
  look(path: string): Promise<Result<FileFacts, string>>;
  /**
   * All or nothing, by compare-and-swap on every `expectedHash`: everything is staged first, writes come before deletions,
   * and a failure puts back what was changed. Mode, links, encoding and owner stay.
   */
  apply(writes: readonly FileWrite[]): Promise<AppliedFiles>;
  /** Keeps the bytes for undo; returns the hash they are stored under; null: there is no file. */
  saveBefore(path: string): Promise<Result<string | null, string>>;
  /** Bytes that were kept under a hash. */
  image(hash: string): Promise<Result<Uint8Array, string>>;
  /** Removes kept bytes that are not in `keep`; young ones stay, whoever they belong to. */
  sweepImages(keep: ReadonlySet<string>): Promise<Result<{ readonly freedBytes: number }, string>>;
  list(): Promise<readonly string[]>;
}
