// Takes the place of @vscode/spdlog, the compiled log writer of VS Code, so that the test host needs no compiler.
// Writes the same files with the same lines; it does not rotate them, since a test run writes little.
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

class Logger {
  #file;
  #level = LEVELS.indexOf('info');
  #isRaw = false;

  constructor(_type, _name, file) {
    this.#file = file;
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }

  trace(message) {
    this.#write(0, message);
  }
  debug(message) {
    this.#write(1, message);
  }
  info(message) {
    this.#write(2, message);
  }
  warn(message) {
    this.#write(3, message);
  }
  error(message) {
    this.#write(4, message);
  }
  critical(message) {
    this.#write(5, message);
  }

  getLevel() {
    return this.#level;
  }
  setLevel(level) {
    this.#level = level;
  }
  setPattern() {
    this.#isRaw = false;
  }
  clearFormatters() {
    this.#isRaw = true;
  }
  flush() {}
  drop() {}

  #write(level, message) {
    if (level < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const text = this.#isRaw ? message : `${time} [${LEVELS[level]}] ${message}\n`;
    try {
      fs.appendFileSync(this.#file, text); // at once: a crash must not lose the lines before it
    } catch {
      // The folder is gone when a run is being cleaned up; a lost line is no reason to fail it.
    }
  }
}

async function createRotatingLogger(name, file) {
  return new Logger('rotating', name, file);
}

// One assignment each: an `import()` of a CommonJS file finds its names by reading, and does not read into objects.
module.exports.version = 0;
module.exports.setLevel = () => {};
module.exports.setFlushOn = () => {};
module.exports.Logger = Logger;
module.exports.createRotatingLogger = createRotatingLogger;
module.exports.createAsyncRotatingLogger = createRotatingLogger;
