// The gate itself: a POSIX shell that waits on a pipe, marks the start, runs the command, marks its end.
// Built-ins only, so that nothing can fail between the marks and the command but the command.

/** The shell that is the gate; POSIX promises it at this path. */
export const GATE_SHELL = '/bin/sh';

/** Exit code of a gate that did not let the command run. Only believed when there is no `started` mark either. */
const UNRUN_EXIT = 125;

/**
 * `sh -c GATE_SCRIPT name argv...` with the pipe as descriptor 3. The one line that comes down the pipe is the path of
 * the marks; the end of the pipe without it (the parent died or changed its mind) ends the gate with nothing run.
 */
export const GATE_SCRIPT = `
IFS= read -r belay_marks <&3 || exit ${UNRUN_EXIT}
exec 3<&-
printf '' > "$belay_marks.started" || exit ${UNRUN_EXIT}
"$@"
belay_code=$?
printf '%s\\n' "$belay_code" > "$belay_marks.exit"
exit "$belay_code"
`;
