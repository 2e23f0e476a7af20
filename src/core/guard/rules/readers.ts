// Programs that print, compare, count and look up. Options that write or start something are raise rows.
// Sources: POSIX utilities, the GNU coreutils manual, ripgrep's and less' manual pages.
import { base, raise, type Rule } from './rule.ts';

const PLAIN =
  'ls cat head tail wc nl tac rev cut tr paste join comm fold fmt expand unexpand od hexdump strings column pr diff cmp diff3 md5sum md5 shasum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 basenc du df stat realpath readlink basename dirname file tree which whereis type zcat bzcat xzcat zstdcat zgrep bzgrep xzgrep jq look tsort nm objdump readelf size cloc tokei scc fgrep egrep grep ggrep pcregrep exa eza lsd bat batcat less more locate mdfind csvlook ptx numfmt factor shuf sort uniq xxd iconv rg ag ack yq sdiff colordiff delta hexyl';

// prettier-ignore
export const READER_RULES: readonly Rule[] = [
  base('read-files', PLAIN, '*', 'R0', 'read-file', 'only reads', ['cat a.txt', 'grep -rn x src', 'sort a.txt'], ['tee a.txt', 'cp a b']),
  base('print-text', 'echo printf', '*', 'R0', 'read-system', 'only prints', ["echo 'rm -rf /'", 'printf "%s" x'], ['cat x'], { textOnly: true }),
  base('shell-quiet', ': true false test [ expr seq sleep wait pwd dirs hash jobs times umask ulimit getopts shift return exit break continue unset let bc yes tput clear reset stty tty logname cal arch nproc uname uptime sync', '*', 'R0', 'read-system', 'only tests, prints or waits', ['true', 'test -f a', 'sleep 1'], ['cat a']),
  base('shell-quiet-2', 'date hostname', '*', 'R0', 'read-system', 'prints', ['date +%s', 'hostname'], ['cat a']),
  raise('set-clock', 'date', '*', 'R3', 'change-system', 'sets the clock', ['date -s 12:00'], ['date +%s'], { options: ['-s', '--set'] }),
  raise('set-hostname', 'hostname', '*', 'R3', 'change-system', 'renames the machine', ['hostname evil'], ['hostname -f'], { operand: /./ }),
  raise('set-hostname-file', 'hostname', '*', 'R3', 'change-system', 'renames the machine', ['hostname -F x'], ['hostname -f'], { options: ['-F', '--file', '-b', '--boot'] }),
  raise('printf-variable', 'printf', '*', 'R3', 'change-environment', 'sets a shell variable from text', ['printf -v PATH x'], ['printf x'], { options: ['-v'] }),
  raise('hash-path', 'hash', '*', 'R3', 'change-environment', 'gives a command name another program', ['hash -p /tmp/x ls'], ['hash -r'], { options: ['-p'] }),
  base('look-at-system', 'ps df free id whoami groups who w last users lsof pgrep pidof pstree lsblk lscpu lsusb lspci lsmod vmstat iostat mpstat netstat ss sw_vers system_profiler getconf getent locale vm_stat ifconfig dmesg journalctl sar', '*', 'R0', 'read-system', 'only looks at the system', ['ps aux', 'id -u', 'lsof -i :3000'], ['kill 1']),
  raise('interface-change', 'ifconfig', '*', 'R3', 'change-system', 'changes a network interface', ['ifconfig eth0 down'], ['ifconfig eth0'], { operandCount: [2, 99] }),
  raise('log-change', 'dmesg journalctl', '*', 'R3', 'change-system', 'clears or rotates the system log', ['dmesg -C', 'journalctl --vacuum-time=1d'], ['dmesg -T'], { options: ['-C', '-c', '--clear', '--read-clear', '--vacuum-time', '--vacuum-size', '--vacuum-files', '--rotate', '--flush', '--setup-keys', '-D', '-E', '-n'] }),
  raise('lsof-socket-kill', 'ss', '*', 'R3', 'change-system', 'kills sockets', ['ss -K dst 10.0.0.1'], ['ss -ltn'], { options: ['-K', '--kill', '-D', '--diag'] }),
  base('ip-read', 'ip', 'a|addr|address|l|link|r|route|addr show|link show|route show|a s|a show|r show|neigh|neigh show', 'R0', 'read-system', 'only looks at the network', ['ip addr', 'ip route show'], ['ip link set eth0 down'], { operandCount: [0, 2], everyOperand: /^(?!(set|add|del|delete|flush|replace|change|append|exec)$)/ }),
  base('top-once', 'top htop', '*', 'R0', 'read-system', 'only looks at processes', ['top -b -n 1'], ['ps']),
  base('print-environment', 'printenv', '*', 'R0', 'read-secret', 'prints the environment, which may hold secrets', ['printenv', 'printenv HOME'], ['env']),
  raise('sort-output', 'sort shuf', '*', 'R1', 'write-file', 'writes its output', ['sort -o b.txt a.txt', 'sort --output=b.txt a.txt'], ['sort a.txt'], { options: ['-o', '--output'], writes: ['option -o', 'option --output'] }),
  raise('sort-program', 'sort', '*', 'R3', 'run-hidden-text', 'starts a compression program', ['sort --compress-program=./x a', 'sort --compress-prog ./x a'], ['sort -u a'], { options: ['--compress-program'] }),
  raise('uniq-output', 'uniq', '*', 'R1', 'write-file', 'writes its second operand', ['uniq a.txt b.txt'], ['uniq -c a.txt'], { operandCount: [2, 2], writes: ['second-operand'] }),
  raise('xxd-output', 'xxd', '*', 'R1', 'write-file', 'writes its second operand', ['xxd a.bin a.hex'], ['xxd a.bin'], { operandCount: [2, 9], writes: ['second-operand'] }),
  raise('iconv-output', 'iconv', '*', 'R1', 'write-file', 'writes its output', ['iconv -f utf8 -o b.txt a.txt'], ['iconv -l'], { options: ['-o', '--output'], writes: ['option -o', 'option --output'] }),
  raise('tree-output', 'tree', '*', 'R1', 'write-file', 'writes its output', ['tree -o t.txt'], ['tree -L 2'], { options: ['-o'], writes: ['option -o'] }),
  raise('sdiff-output', 'sdiff', '*', 'R1', 'write-file', 'writes the merged file', ['sdiff -o c a b'], ['sdiff a b'], { options: ['-o', '--output'], writes: ['option -o', 'option --output'] }),
  raise('diff-program', 'sdiff', '*', 'R3', 'run-hidden-text', 'starts another diff program', ['sdiff --diff-program=./x a b'], ['sdiff a b'], { options: ['--diff-program'] }),
  raise('diff3-program', 'diff3', '*', 'R3', 'run-hidden-text', 'starts another diff program', ['diff3 --diff-program=./x a b c'], ['diff3 a b c'], { options: ['--diff-program'] }),
  raise('yq-in-place', 'yq', '*', 'R1', 'write-file', 'edits its file', ["yq -i '.a=1' a.yml"], ["yq '.a' a.yml"], { options: ['-i', '--inplace'], writes: ['last-operand'] }),
  raise('yq-load', 'yq', '*', 'R3', 'run-hidden-text', 'writes several files by an expression', ["yq -s '.a' a.yml"], ["yq '.a' a.yml"], { options: ['-s', '--split-exp'] }),
  raise('rg-program', 'rg', '*', 'R3', 'run-hidden-text', 'starts a program for each file', ['rg --pre ./x pattern', 'rg --hostname-bin=./x p'], ['rg --pretty pattern'], { options: ['--pre', '--hostname-bin'] }),
  raise('search-pager', 'ag ack bat batcat delta', '*', 'R3', 'run-hidden-text', 'starts a pager program', ['ag --pager ./x p', 'bat --pager=./x a'], ['ag p'], { options: ['--pager', '--ackrc', '--output', '--diff-so-fancy'] }),
  raise('search-pager-off', 'bat', 'cache', 'R3', 'change-system', 'changes its cache', ['bat cache --build'], ['bat a.txt']),
  raise('pager-command', 'less more', '*', 'R3', 'run-hidden-text', 'runs a command in the pager', ["less '+!rm x' a", 'less +:e a'], ['less a'], { operand: /^\+/ }),
  raise('pager-log', 'less', '*', 'R3', 'write-file', 'writes a log or reads key bindings', ['less -o log a', 'less --lesskey-src=x a'], ['less -N a'], { options: ['-o', '-O', '-k', '--log-file', '--LOG-FILE', '--lesskey-file', '--lesskey-src', '--lesskey-content', '-p+'] }),
  raise('file-compile', 'file', '*', 'R1', 'write-file', 'writes a magic file', ['file -C -m m'], ['file a'], { options: ['-C', '--compile'], writes: ['cwd'] }),
  base('man', 'man apropos whatis help info tldr', '*', 'R0', 'read-file', 'only shows a manual page', ['man ls'], ['ls']),
  raise('man-program', 'man', '*', 'R3', 'run-hidden-text', 'starts a pager or browser program', ['man -P ./x ls', 'man --pager=./x ls'], ['man 3 printf'], { options: ['-P', '--pager', '-H', '--html', '-C', '--config-file', '-T', '-X', '-Z', '-t', '-p', '--preprocessor', '-l', '--local-file'] }),
  raise('info-output', 'info', '*', 'R3', 'write-file', 'writes a file', ['info -o x ls'], ['info ls'], { options: ['-o', '--output', '--dribble', '--restore', '--init-file'] }),
  base('shellcheck', 'shellcheck hadolint yamllint actionlint', '*', 'R0', 'read-file', 'only checks', ['shellcheck a.sh'], ['bash a.sh']),
  base('compgen', 'compgen caller', '*', 'R0', 'read-system', 'only lists', ['compgen -c'], ['complete -p']),
  raise('compgen-command', 'compgen', '*', 'R3', 'run-hidden-text', 'runs a command', ["compgen -C 'rm x'"], ['compgen -c'], { options: ['-C', '-F'] }),
];
