// Programs that leave nothing behind, whatever their words are; what they print may still be sent into a file.

/** Names. `exit` only ends the script. */
export const HARMLESS: ReadonlySet<string> = new Set([
  ...['sleep', 'true', 'false', ':', 'exit', 'pwd', 'echo', 'printf', 'test', '[', 'date', 'whoami', 'which'],
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'cut', 'tr', 'basename', 'dirname', 'stat'],
]);
