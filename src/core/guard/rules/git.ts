// git: reading is R0; the index and the object store R1; commits, branches and pushes that can be looked up R2; whatever throws
// away work, rewrites history or starts a program R3. Sources: the git manual pages (git-config: core.*, alias; git-push;
// git-diff --ext-diff; git-rebase --exec), and this program's own labelled cases for the border between R1 and R2.
import { base, lower, raise, type Rule } from './rule.ts';

const READ =
  'status|log|diff|show|blame|annotate|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|grep|merge-base|name-rev|for-each-ref|show-ref|show-branch|count-objects|check-ignore|check-attr|check-mailmap|check-ref-format|var|version|help|diff-tree|diff-index|diff-files|whatchanged|range-diff|cherry|verify-commit|verify-tag|verify-pack|fsck|merge-tree|get-tar-commit-id|stripspace|column|patch-id|interpret-trailers|stash list|stash show|worktree list|reflog show|reflog exists|remote show|remote get-url|submodule status|submodule summary|notes list|notes show|bisect log|bisect view|bisect terms|sparse-checkout list|lfs ls-files|lfs status|lfs env|bundle verify|bundle list-heads|bugreport|config list|config get';
const LISTING = [
  '-a',
  '-r',
  '-v',
  '-l',
  '--all',
  '--remotes',
  '--list',
  '--show-current',
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
  '--sort',
  '--format',
  '-vv',
];
const OUTPUT =
  'log|diff|show|diff-tree|diff-index|diff-files|whatchanged|shortlog|range-diff|stash show|format-patch|rev-list';
const PATHLIKE =
  /^(\.|:|.*[/\\]$|.*\*)|\.(?!\d+(\.\d+)*$)[A-Za-z]\w{0,9}$|(^|\/)(Makefile|Dockerfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|src|test|tests|lib|docs|app|apps|packages|scripts|public|assets|config)$/;

// prettier-ignore
export const GIT_RULES: readonly Rule[] = [
  base('git-read', 'git', READ, 'R0', 'read-repository', 'only reads', ['git status --short', 'git stash list', 'git ls-files -z'], ['git push', 'git stash'], { textOnly: true }),
  base('git-show-secret', 'git', 'show|cat-file|grep|blame|log', 'R0', 'read-repository', 'reads file contents', ['git show HEAD:a.txt'], ['git status']),
  base('git-branch-list', 'git', 'branch', 'R0', 'read-repository', 'lists branches', ['git branch', 'git branch -a'], ['git branch x'], { operandCount: [0, 0], without: ['-d', '-D', '-m', '-M', '-c', '-C', '-u', '--edit-description', '--unset-upstream'] }),
  base('git-branch-match', 'git', 'branch', 'R0', 'read-repository', 'lists branches', ["git branch --list 'x*'", 'git branch --contains abc'], ['git branch x'], { options: LISTING, without: ['-d', '-D', '-m', '-M', '-c', '-C', '-f', '--force', '--delete', '--move', '--copy', '-u'] }),
  base('git-branch-make', 'git', 'branch', 'R2', 'change-repository', 'makes or renames a branch', ['git branch x', 'git branch -m y'], ['git branch', 'git branch --list'], { without: [...LISTING, '-d', '-D'], operandCount: [1, 2] }),
  base('git-branch-upstream', 'git', 'branch', 'R2', 'change-repository', 'sets what a branch follows', ['git branch -u origin/x'], ['git branch x'], { options: ['-u', '--set-upstream-to', '--unset-upstream'] }),
  raise('git-branch-lose', 'git', 'branch', 'R3', 'rewrite-history', 'deletes or overwrites a branch', ['git branch -D x', 'git branch -f x HEAD~1', 'git branch --delete x'], ['git branch x'], { options: ['-d', '-D', '-M', '-C', '-f', '--force', '--delete', '--edit-description'] }),
  base('git-tag-list', 'git', 'tag', 'R0', 'read-repository', 'lists tags', ['git tag'], ['git tag v1'], { operandCount: [0, 0], without: ['-d', '-a', '-s', '-f'] }),
  base('git-tag-match', 'git', 'tag', 'R0', 'read-repository', 'lists or checks tags', ["git tag -l 'v*'", 'git tag --contains abc'], ['git tag v1'], { options: ['-l', '--list', '-n', '--contains', '--no-contains', '--merged', '--points-at', '--sort', '-v', '--verify'], without: ['-d', '-a', '-s', '-f', '--delete', '--force'] }),
  base('git-tag-make', 'git', 'tag', 'R2', 'change-repository', 'makes a tag', ['git tag v1', "git tag -a v1 -m 'x'"], ['git tag'], { operandCount: [1, 2], without: ['-l', '--list', '--contains', '-v'] }),
  raise('git-tag-lose', 'git', 'tag', 'R3', 'rewrite-history', 'deletes or moves a tag', ['git tag -d v1', 'git tag -f v1'], ['git tag v1'], { options: ['-d', '--delete', '-f', '--force'] }),
  base('git-index', 'git', 'add|stage|update-index|write-tree|init|fetch|gc|pack-refs|commit-graph|maintenance run|repack|archive|format-patch|bundle create|notes add|sparse-checkout set|rerere|hash-object|lfs fetch|mktree|mktag', 'R1', 'change-repository', 'writes only what can be written again', ['git add -A', 'git fetch origin', 'git gc'], ['git commit']),
  base('git-unstage', 'git', 'restore', 'R1', 'change-repository', 'takes files out of the index', ['git restore --staged a.ts', 'git restore -S a.ts'], ['git restore a.ts'], { options: ['--staged', '-S'], without: ['--worktree', '-W'] }),
  base('git-restore', 'git', 'restore', 'R3', 'rewrite-history', 'throws away changes in the working tree', ['git restore src/'], ['git restore --staged a'], { without: ['--staged', '-S'] }),
  base('git-restore-both', 'git', 'restore', 'R3', 'rewrite-history', 'throws away changes in the working tree', ['git restore -SW a'], ['git restore -S a'], { options: ['--worktree', '-W'] }),
  base('git-change', 'git', 'commit|merge|cherry-pick|revert|am|apply|mv|clone|pull|push|stash push|stash save|stash pop|stash apply|stash branch|stash store|stash create|switch|checkout|reset|remote add|remote set-url|remote rename|remote set-head|remote update|worktree add|worktree move|worktree lock|worktree unlock|worktree repair|submodule update|submodule add|submodule init|submodule sync|submodule set-branch|bisect start|bisect good|bisect bad|bisect skip|bisect new|bisect old|subtree add|subtree pull|subtree merge|commit-tree|fast-import|lfs pull|lfs track|lfs checkout|lfs install|sparse-checkout add|sparse-checkout init', 'R2', 'change-repository', 'changes the repository, which can be looked up', ["git commit -m 'x'", 'git push origin main', 'git stash pop'], ['git log', 'git stash drop'], { textOnly: true }),
  base('git-stash', 'git', 'stash', 'R2', 'change-repository', 'puts changes aside, which can be looked up', ['git stash', 'git stash -u'], ['git stash drop', 'git stash list'], { operandCount: [0, 0] }),
  raise('git-push-url', 'git', 'push', 'R2', 'network-write', 'sends commits to another machine', ['git push'], ['git pull']),
  base('git-untrack', 'git', 'rm', 'R2', 'change-repository', 'stops tracking a file and keeps it', ['git rm --cached a'], ['git rm a'], { options: ['--cached'] }),
  base('git-remove', 'git', 'rm', 'R3', 'delete-file', 'deletes files', ['git rm a'], ['git rm --cached a'], { without: ['--cached'] }),
  base('git-lose', 'git', 'clean|rebase|filter-branch|filter-repo|replace|prune|prune-packed|reflog expire|reflog delete|stash drop|stash clear|worktree remove|worktree prune|submodule deinit|remote remove|remote rm|remote prune|update-ref|notes remove|notes prune|bisect reset|sparse-checkout disable|lfs prune|lfs migrate|rerere clear|rerere forget|checkout-index|read-tree|merge-file|unpack-objects|index-pack|receive-pack|upload-pack|subtree push|subtree split', 'R3', 'rewrite-history', 'throws away work or rewrites history', ['git clean -fd', 'git rebase main', 'git stash drop'], ['git log']),
  base('git-program', 'git', 'bisect run|submodule foreach|send-email|request-pull|daemon|instaweb|gui|gitk|citool|difftool|mergetool|credential|credential-store|credential-cache|shell|cvsserver|p4|svn|web--browse|hook|imap-send|upload-archive|http-backend|remote-ext|remote-fd|fast-export|for-each-repo|config edit', 'R3', 'run-hidden-text', 'runs another program, sends something or hands out credentials', ["git bisect run sh -c 'x'", 'git difftool'], ['git diff']),
  raise('git-global', 'git', '*', 'R3', 'run-hidden-text', 'takes settings from the command line, which can start a program', ['git -c core.pager=./x log', 'git --exec-path=. status', 'git --config-env=a=b log'], ['git -C src log', 'git log -c'], { globalOptions: ['-c', '--config-env', '--exec-path', '--git-dir', '--work-tree', '--namespace', '--attr-source'], evenInDryRun: true }),
  raise('git-output', 'git', OUTPUT, 'R1', 'write-file', 'writes its output', ['git log --output=a.txt', 'git diff --outp=a.txt'], ['git log --oneline'], { options: ['--output'], writes: ['option --output'] }),
  raise('git-output-directory', 'git', 'format-patch|archive', 'R1', 'write-file', 'writes files', ['git format-patch -o out HEAD~1', 'git archive -o a.zip HEAD'], ['git archive HEAD'], { options: ['-o', '--output-directory', '--output'], writes: ['option -o', 'option --output-directory', 'option --output'] }),
  raise('git-starts', 'git', '*', 'R3', 'run-hidden-text', 'starts another program', ['git diff --ext-diff', 'git ls-remote --upload-pack=./x .', 'git grep --open-files-in-pager=./x a', "git rebase --exec 'x' main", 'git push --receive-pack=./x'], ['git diff', 'git log -O'], { options: ['--ext-diff', '--upload-pack', '--receive-pack', '--exec', '--open-files-in-pager', '--upload-archive', '--gpg-program', '--template', '--config', '--filter-process', '--sendmail-cmd'], evenInDryRun: true }),
  raise('git-grep-pager', 'git', 'grep', 'R3', 'run-hidden-text', 'starts a pager', ['git grep -O./x a'], ['git grep a'], { options: ['-O'] }),
  raise('git-clone-program', 'git', 'clone|fetch|ls-remote|pull', 'R3', 'run-hidden-text', 'starts another program', ['git clone -c a=b x'], ['git clone https://a.example/x'], { options: ['-c', '--config', '--template'] }),
  raise('git-clone-upload', 'git', 'clone', 'R3', 'run-hidden-text', 'starts another program', ['git clone -u ./x a'], ['git clone https://a.example/x'], { options: ['-u'] }),
  raise('git-transport', 'git', 'clone|fetch|pull|push|ls-remote|remote add|remote set-url|submodule add|archive', 'R3', 'run-hidden-text', 'uses a transport that runs a command', ["git clone 'ext::sh -c x'", "git remote add x 'ext::y'"], ['git clone https://a.example/x'], { operand: /^(ext|fd)::|^-/, evenInDryRun: true }),
  raise('git-push-force', 'git', 'push', 'R3', 'rewrite-history', 'overwrites or deletes what others may have', ['git push --force', 'git push -f', 'git push --force-with-lease', 'git push --mirror', 'git push -d origin x', 'git push --prune'], ['git push -u origin x'], { options: ['-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '-d', '--delete', '--prune'] }),
  raise('git-push-refspec', 'git', 'push', 'R3', 'rewrite-history', 'overwrites or deletes a branch by its refspec', ['git push origin +main', 'git push origin :x'], ['git push origin a:b'], { operand: /^[+:]/ }),
  raise('git-amend', 'git', 'commit', 'R3', 'rewrite-history', 'replaces the last commit', ['git commit --amend'], ["git commit -m 'x'"], { options: ['--amend'] }),
  raise('git-abort', 'git', 'merge|cherry-pick|revert|am', 'R3', 'rewrite-history', 'throws away a merge in progress', ['git merge --abort'], ['git merge x'], { options: ['--abort', '--quit', '--skip'] }),
  raise('git-reset-hard', 'git', 'reset', 'R3', 'rewrite-history', 'throws away changes in the working tree', ['git reset --hard', 'git reset --keep x'], ['git reset --soft HEAD~1'], { options: ['--hard', '--merge', '--keep'] }),
  raise('git-switch-force', 'git', 'switch|checkout', 'R3', 'rewrite-history', 'overwrites a branch or throws away changes', ['git switch -C main x', 'git checkout -f', 'git checkout -B x', 'git switch --discard-changes x'], ['git switch main', 'git checkout -b x'], { options: ['-C', '-f', '--force', '-B', '--discard-changes', '--force-create', '--ours', '--theirs', '--merge', '-m', '--orphan', '-p', '--patch', '--pathspec-from-file', '--overwrite-ignore', '--ignore-other-worktrees'] }),
  raise('git-checkout-path', 'git', 'checkout', 'R3', 'rewrite-history', 'throws away changes in files', ['git checkout .', 'git checkout src/a.ts'], ['git checkout main', 'git checkout feature/x', 'git checkout v1.2.0'], { operand: PATHLIKE }),
  raise('git-checkout-paths', 'git', 'checkout', 'R3', 'rewrite-history', 'throws away changes in files', ['git checkout main src', 'git checkout -- a b'], ['git checkout main', 'git checkout -b x origin/main'], { operandCount: [2, 99], without: ['-b', '--track', '-t'] }),
  raise('git-checkout-dashes', 'git', 'checkout', 'R3', 'rewrite-history', 'throws away changes in files', ['git checkout -- a'], ['git checkout a'], { afterDashes: true }),
  raise('git-gc-prune', 'git', 'gc|repack|fetch|pull|remote update|maintenance run', 'R3', 'rewrite-history', 'removes objects or references', ['git gc --prune=now'], ['git gc'], { options: ['--prune', '-p', '--force', '-f', '-d', '-a', '-A', '--update-head-ok'] }),
  raise('git-apply-unsafe', 'git', 'apply|am', 'R3', 'write-file', 'may write outside the repository', ['git apply --unsafe-paths x'], ['git apply x'], { options: ['--unsafe-paths', '--directory'] }),
  raise('git-worktree-force', 'git', 'worktree add|mv|submodule update|submodule add|notes add|stash branch|bundle create', 'R3', 'rewrite-history', 'overwrites what is there', ['git worktree add -B x ../x', 'git mv -f a b'], ['git worktree add ../x'], { options: ['-f', '--force', '-B'] }),
  base('git-reflog', 'git', 'reflog', 'R0', 'read-repository', 'shows the reference log', ['git reflog', 'git reflog -10'], ['git reflog expire']),
  base('git-remote-list', 'git', 'remote', 'R0', 'read-repository', 'lists remotes', ['git remote -v'], ['git remote add x y'], { operandCount: [0, 0] }),
  base('git-submodule-list', 'git', 'submodule|notes', 'R0', 'read-repository', 'lists', ['git submodule'], ['git submodule update'], { operandCount: [0, 0] }),
  base('git-symbolic-read', 'git', 'symbolic-ref', 'R0', 'read-repository', 'reads a reference', ['git symbolic-ref --short HEAD'], ['git symbolic-ref HEAD x'], { operandCount: [1, 1], without: ['-d', '--delete'] }),
  base('git-config-read', 'git', 'config', 'R0', 'read-repository', 'reads settings', ['git config --get user.name', 'git config --list'], ['git config user.name x'], { options: ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '-l', '--list', '--get-color'], without: ['--unset', '--add', '--replace-all', '-e', '--edit', '--unset-all'] }),
  base('git-config-read-key', 'git', 'config', 'R0', 'read-repository', 'reads a setting', ['git config user.name'], ['git config user.name x'], { operandCount: [1, 1], everyOperand: /^[a-z]+\.[\w.-]+$/i, without: ['--unset', '--add', '--replace-all', '-e', '--edit', '--unset-all', '--remove-section', '--rename-section'] }),
  base('git-config-identity', 'git', 'config|config set', 'R1', 'change-repository', 'sets a harmless setting of this repository', ["git config user.name 'A B'"], ['git config core.pager x', 'git config --global user.name x'], { operandCount: [2, 2], operand: /^(user\.(name|email)|pull\.(rebase|ff)|push\.(default|autosetupremote)|init\.defaultbranch|core\.(autocrlf|filemode|ignorecase|eol)|branch\.[\w./-]+\.(remote|merge|rebase)|color\.\w+|advice\.\w+|merge\.conflictstyle)$/i, without: ['--global', '--system', '-f', '--file', '--worktree', '--unset', '--add', '--replace-all', '--blob', '-e', '--edit'] }),
  lower('git-dry', 'git', 'add|commit|push|clean|rm|mv|fetch|worktree prune|remote prune|prune|notes prune', 'R0', 'read-repository', 'only shows what it would do', ['git push --dry-run origin main', 'git clean --dry-run'], ['git push'], { options: ['--dry-run'] }),
  lower('git-dry-short', 'git', 'add|push|clean|rm|mv|worktree prune|remote prune|prune', 'R0', 'read-repository', 'only shows what it would do', ['git clean -nd', 'git push -n', 'git add -n .'], ['git commit -n', 'git clean -fd'], { options: ['-n'] }),
  lower('git-apply-check', 'git', 'apply', 'R0', 'read-repository', 'only checks a patch', ['git apply --check x', 'git apply --stat x'], ['git apply x', 'git apply --stat --apply x'], { options: ['--check', '--stat', '--numstat', '--summary'], without: ['--apply'] }),
];
