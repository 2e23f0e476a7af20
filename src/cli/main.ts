// `belay`: the command line. Wires commander to one file a command; builds nothing itself and loads each command when asked.
// An old Node is told so before anything that needs a new one is loaded.
import { Command, CommanderError } from 'commander';
import { execHelp } from './execHelp.ts';
import { addLedgerCommand } from './ledger.ts';
import { processIo } from './processIo.ts';
import { startPlace } from './startPlace.ts';
import { simHelp } from './simHelp.ts';
import { addWorldCommand } from './worldHelp.ts';

const MIN_NODE = [22, 15] as const;

/** Contracted commands that a later version brings. */
const notYet = ['bench', 'hook'] as const;

function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
}

async function main(): Promise<number> {
  if (!isNodeNewEnough(process.versions.node)) {
    process.stderr.write(
      `belay: this is Node ${process.versions.node}; Belay needs Node ${MIN_NODE.join('.')} or newer.\n`,
    );
    return 2;
  }
  let outputCode = 0;
  const io = processIo(process, (code) => {
    outputCode = code;
    process.exitCode = code;
  });
  const start = startPlace({ words: process.argv.slice(2), env: process.env, folder: () => process.cwd() });
  if (!start.ok) {
    io.err(`belay: ${start.error}`);
    return 2;
  }
  const cwd = start.value;
  let exitCode = 0;
  const program = new Command('belay')
    .description('Keeps coding agents on the rope.')
    .exitOverride()
    .showHelpAfterError();

  program
    .command('classify')
    .description('observations (JSON lines) -> faults')
    .action(async () => {
      exitCode = await (await import('./classify.ts')).classifyCommand(io, Date.now());
    });
  program
    .command('assess')
    .description('commands (JSON lines) -> levels R0-R3')
    .action(async () => {
      exitCode = await (await import('./assess.ts')).assessCommand(io, cwd);
    });
  program
    .command('plan')
    .description('candidates and parameters (one JSON document) -> ranking and hedge set')
    .option('--export', 'print what was learned, as such a document for mode balanced')
    .option('--reset <what>', 'forget what was learned: all, or one candidate by its id')
    .option('--db <file>', "the store of --export and --reset; default: belay.db in Belay's data folder")
    .action(async (options: { export?: boolean; reset?: string; db?: string }) => {
      const isOfStore = options.export === true || options.reset !== undefined;
      exitCode = isOfStore
        ? await (
            await import('./planStore.ts')
          ).planStoreCommand(options, { cwd, env: process.env, nowMs: Date.now() }, io)
        : await (await import('./plan.ts')).planCommand(io);
    });
  program
    .command('sim')
    .description("the HFR document's simulator: policies, seeds -> its tables")
    .option('--policy <names>', 'all, or names separated by commas', 'all')
    .option('--seeds <n>', 'seeds, from 1', '10')
    .option('--tasks <n>', 'tasks a seed', '20000')
    .option('--fault-rate <p>', 'probability of a fault in an attempt; default: 0.14, under incidents 0.20')
    .option('--params <set>', 'parameter set J or A, or a JSON file', 'J')
    .option('--format <name>', 'json or md', 'json')
    .option('--sweep', 'the fault rates of Table 15')
    .option('--incidents', 'the incident rates of Table C1')
    .option('--exact', 'exact expectations instead of drawn tasks')
    .option('--contention', 'shared providers under load: what budgets, breakers and bulkheads are worth')
    .option('--fixable-share <s>', 'hfr-plus: part of the T7 faults that is a refused input; default: T7 is not split')
    .addHelpText('after', simHelp)
    .action(async (options: Record<string, string | boolean>) => {
      exitCode = (await import('./sim.ts')).simFromOptions(options, cwd, io);
    });
  addWorldCommand(program, io, (code) => {
    exitCode = code;
  });
  program
    .command('exec')
    .description('one guarded command, run at most once -> its outcome and ledger entry')
    .requiredOption('--task <id>', 'task the command belongs to')
    .requiredOption('--step <n>', 'number of the step; task, step, command and folder together name the action')
    .option('--db <file>', "ledger database; default: belay.db in Belay's data folder")
    .option('--workspace <dir>', 'root of the workspace; default: the current folder')
    .option('--yes-up-to <level>', 'highest level that runs without asking; default: R1')
    .option('--timeout-ms <n>', 'stop the command after so many ms; default: 600000')
    .option('--command <text>', 'a text for a shell instead of words after --')
    .option('--shell <name>', 'shell of --command: bash, pwsh or cmd', 'bash')
    .argument('[words...]', 'the command and its arguments, after --')
    .addHelpText('after', execHelp)
    .action(async (words: string[], options: Record<string, string>) => {
      exitCode = await (await import('./execOptions.ts')).execFromOptions(words, options, cwd, io);
    });
  program
    .command('gateway')
    .description('a configuration file -> a running loopback server')
    .requiredOption('--config <file>', 'YAML or JSON with the keys of the settings')
    .option('--port <n>', 'port on 127.0.0.1; 0 takes any')
    .option('--workspace <dir>', 'folder whose .belayignore holds; default: the current one')
    .action(async (options: { config: string; port?: string; workspace?: string }) => {
      exitCode = await (await import('./gatewayOptions.ts')).gatewayFromOptions(options, cwd, io);
    });
  program
    .command('task')
    .description("a goal for Belay's own agent loop -> its outcome; an interrupted one goes on with --resume")
    .option('--goal <text>', 'what is to be reached')
    .option('--resume <id>', 'go on with an interrupted task instead')
    .option('--config <file>', 'YAML or JSON with the keys of the settings')
    .option('--workspace <dir>', 'folder to work in; default: the current one')
    .option('--success <command>', 'the goal is reached when this exits with 0; default: npm test')
    .option('--model <name>', 'model name or route; default: the first of the configuration')
    .option('--criticality <level>', 'low, medium or high')
    .option('--quality-floor <q>', 'least quality of an accepted answer, 0 to 1')
    .option('--deadline-s <n>', 'seconds for the whole task; default: 3600, with --resume: its own deadline')
    .action(async (options: Record<string, string>) => {
      exitCode = await (await import('./task.ts')).taskFromOptions(options, cwd, io);
    });
  addLedgerCommand(program, io, cwd, (code) => {
    exitCode = code;
  });
  program
    .command('drill')
    .description('the demonstration: a real task worked through a wall of faults')
    .option('--seed <n>', 'seed of the fault schedule', '1')
    .option('--faults <level>', 'none, default or storm', 'default')
    .option('--keep', 'keep the temporary workspace')
    .option('--report <file>', 'where to write the HTML report')
    .action(async (options: Record<string, string | boolean>) => {
      exitCode = await (await import('./drill.ts')).drillFromOptions(options, cwd, io);
    });
  program
    .command('doctor')
    .description('checks providers, store and gateway; says what to do')
    .option('--config <file>', 'YAML or JSON with the keys of the settings')
    .option('--json', 'machine-readable output')
    .action(async (options: { config?: string; json?: boolean }) => {
      exitCode = await (await import('./doctor.ts')).doctorCommand(options, cwd, io);
    });
  for (const name of notYet) {
    program
      .command(name, { hidden: true })
      .allowUnknownOption()
      .argument('[anything...]')
      .action(() => {
        io.err(`belay: "${name}" is not yet available in this version`);
        exitCode = 2;
      });
  }

  try {
    await program.parseAsync(process.argv);
    return outputCode === 0 ? exitCode : outputCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : 2;
    const message = cause instanceof Error ? cause.message : String(cause);
    io.err(`belay: internal error: ${message}`);
    return 3;
  }
}

process.exitCode = await main();
