// The gate itself: a POSIX shell that waits on a pipe, marks the start, runs the command, marks its end.
// Built-ins only, so that nothing can fail between the marks and the command but the command. The command itself is always
// a program (exec in a subshell), never a built-in that could reach into the gate.

/** The shell that is the gate; POSIX promises it at this path. */
export const GATE_SHELL = '/bin/sh';

/** Exit code of a gate that did not let the command run. Only believed where the mark says `held`, too. */
const UNRUN_EXIT = 125;

/**
 * `sh -c GATE_SCRIPT name argv...` with the pipe as descriptor 3. Two lines come down the pipe: the path of the mark and
 * the token that makes an end believable (gateMarks.ts); the end of the pipe without them (the parent died or changed its
 * mind) ends the gate with nothing run. Opening the mark empties it, which marks the start; the end is written through the
 * same descriptor, whatever became of the path. The command gets neither the descriptors nor the token: both variables are
 * unset first, since one from the environment would be handed on, and options that would export or print them are off.
 */
export const GATE_SCRIPT = `
set +a +x
unset belay_mark belay_token belay_code
IFS= read -r belay_mark <&3 && IFS= read -r belay_token <&3 || exit ${UNRUN_EXIT}
exec 3<&-
exec 4> "$belay_mark"
( exec 4>&-; exec "$@" )
belay_code=$?
printf 'exit %s %s\\n' "$belay_code" "$belay_token" >&4
exit "$belay_code"
`;
