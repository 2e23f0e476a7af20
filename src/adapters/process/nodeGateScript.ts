// The gate where there is no POSIX shell (Windows): the same gate as gateScript.ts as a program of Node itself, which an
// editor can always run (ELECTRON_RUN_AS_NODE). Same pipe, same marks, same tokens.
// On Windows the gate is started detached, so that it outlives Belay; what it starts is not, so that Windows ends the
// command together with its gate (libuv puts it into a job that is closed with its parent).

/**
 * `node -e NODE_GATE -- verbatim program words...`. Says `ready` on descriptor 3, so that whoever holds it knows that it
 * stands. Then three lines come down: the path of the mark, the token of its end, and the command's environment as JSON
 * (the gate has an empty one of its own, since NODE_OPTIONS would reach into it). The end of the pipe without them ends the
 * gate with nothing run. Node passes on no descriptor but the three it is told to.
 */
export const NODE_GATE = String.raw`
'use strict';
const { openSync, writeSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { Socket } = require('node:net');
const { constants } = require('node:os');
const [verbatim, program, ...words] = process.argv.slice(1);
const pipe = new Socket({ fd: 3 });
let text = '';
let isOpen = false;
const leave = () => { if (!isOpen) process.exit(125); };
const open = (mark, token, env) => {
  isOpen = true;
  pipe.destroy();
  const file = openSync(mark, 'w');
  const end = (code) => {
    writeSync(file, 'exit ' + code + ' ' + token + '\n');
    process.exit(code);
  };
  const options = { env, stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true, windowsVerbatimArguments: verbatim === '1' };
  const failed = (error) => {
    writeSync(2, 'belay-gate: ' + error.message + '\n');
    end(error.code === 'ENOENT' ? 127 : 126);
  };
  try {
    const child = spawn(program, words, options);
    child.on('error', failed);
    child.on('exit', (code, signal) => end(code === null ? 128 + constants.signals[signal] : code));
  } catch (error) {
    failed(error);
  }
};
pipe.setEncoding('utf8');
pipe.on('data', (part) => {
  text += part;
  const [mark, token, env, rest] = text.split('\n');
  if (!isOpen && rest !== undefined) open(mark, token, JSON.parse(env));
});
pipe.on('end', leave);
pipe.on('close', leave);
pipe.on('error', leave);
pipe.write('ready\n');
`;
