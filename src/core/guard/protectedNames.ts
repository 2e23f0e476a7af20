// Files in a workspace whose change makes other programs run code, or agents ask less: git, editors, agents, shells, package
// managers, hooks and pipelines. Names are compared without case and compatibility forms; a pattern counts where it could match.
import { globCouldMatch } from './globs.ts';

// One entry a path; segments are compared one by one, anywhere in the path. An entry covers everything below it.
const ENTRIES =
  `.git .gitmodules .gitconfig .claude .claude.json .codex .cursor .cursorrules .cursorignore .gemini .continue .roo .roorules
.roomodes .cline .clinerules .windsurf .windsurfrules .kiro .opencode opencode.json opencode.jsonc .amazonq .augment .trae .junie .zed .goose
.goosehints .aider.conf.yml .aider.model.settings.yml .aiderignore .mcp.json mcp.json .vscode .idea .devcontainer .devcontainer.json .husky
.belay belay.yaml belay.yml .belayignore AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md .rules .github/hooks
.github/copilot .github/copilot-instructions.md .github/instructions .github/prompts .github/chatmodes .github/agents .github/workflows
.github/actions .gitlab-ci.yml .circleci .travis.yml .buildkite azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile .drone.yml
.woodpecker.yml .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook .envrc .npmrc .pnpmfile.cjs
.yarnrc .yarnrc.yml .yarn .cargo/config .cargo/config.toml .mise.toml mise.toml .mise .tool-versions .rtx.toml .profile .exrc .vimrc
.nvimrc .nvim.lua .vimrc.local .inputrc .netrc .direnvrc .dir-locals.el .ssh .gnupg
.docker/config.json .kube .aws pip.conf .pypirc sitecustomize.py usercustomize.py .gdbinit .lldbinit .tmux.conf .irbrc
.pryrc .rprofile .psqlrc .sqliterc .my.cnf .curlrc .wgetrc .tclshrc`
    .split(/\s+/)
    .map((entry) => entry.toLowerCase().split('/'));
// Families that are known by how they begin or end.
const BEGINNINGS = ['.zsh', '.zprofile', '.zlog', '.bash', '.cursor', '.aider'];
const ENDINGS = ['.code-workspace'];

/** True where a path inside the workspace, or one its wildcards could stand for, names such a file or lies below one. */
export function isProtected(relative: string, isPattern: boolean): boolean {
  const segments = relative
    .split('/')
    .filter((segment) => segment !== '')
    .map(folded);
  const fits = (segment: string, name: string) =>
    isPattern && /[*?[]/.test(segment) ? globCouldMatch(segment, name) : segment === name;
  return segments.some(
    (segment, at) =>
      ENTRIES.some((entry) => entry.every((name, i) => fits(segments[at + i] ?? '', name))) ||
      BEGINNINGS.some((name) => segment.startsWith(name) || (isPattern && couldBegin(segment, name))) ||
      ENDINGS.some((name) => segment.endsWith(name)),
  );
}

/** A pattern that could match some name that begins so: its literal beginning agrees as far as it goes. */
function couldBegin(segment: string, beginning: string): boolean {
  const meta = segment.search(/[*?[]/);
  return meta > 0 && (beginning.startsWith(segment.slice(0, meta)) || segment.slice(0, meta).startsWith(beginning));
}

function folded(segment: string): string {
  return segment.normalize('NFKC').toLowerCase();
}
