// Takes the place of @vscode/native-watchdog, a compiled thread that ends an extension host whose parent is gone.
// Not needed here: the extension host looks for its parent every second, and a run ends its whole process group.
module.exports = {
  start() {},
  exit(code = 0) {
    process.exit(code);
  },
};
