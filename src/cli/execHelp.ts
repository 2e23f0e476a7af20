// What `belay exec --help` says after its options. A file of its own, since the command line is loaded piece by piece.

export const execHelp = `
Levels of what a command may do:
  R0 only reads    R1 may be repeated    R2 can be checked afterwards    R3 cannot be taken back
  What lies above --yes-up-to is not run; the answer says why and which level it is.

The command gets no input and no terminal; its output goes to standard error as it comes. A command that waits for an
answer is stopped. Asked for again with the same task, step and folder, it is not run a second time: the stored outcome
is the answer, or what is known of a run whose end nobody saw.

The last line of standard output is JSON:
  {"key","level","state","exitCode","ran","stdout","stderr","reason",...}
  state: COMMITTED took effect, FAILED did not, UNKNOWN may have (see "belay ledger reconcile"), null was not run.
Exit code: 0 where it took effect (COMMITTED or RECONCILED_COMMITTED), 1 otherwise, 2 for wrong options.

Examples:
  belay exec --task fix-login --step 1 -- npm test
  belay exec --task fix-login --step 2 --yes-up-to R2 -- git commit -am "Fix login"
  belay exec --task notes --step 1 --yes-up-to R2 --command 'echo done >> notes.txt'
`;
