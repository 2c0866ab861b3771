"use strict";

// Runs the program that the package of this platform holds. Those packages are
// optional dependencies: npm installs the one whose "os" and "cpu" fit, and nothing is
// downloaded by a script.
const { spawn } = require("node:child_process");

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

module.exports = function run(program) {
  const name = `@packgen/${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? `${program}.exe` : program;
  let path;
  try {
    path = require.resolve(`${name}/bin/${file}`);
  } catch {
    console.error(`packgen: the package ${name} is not installed`);
    console.error(`fix: npm install packgen without --omit=optional, on Linux, macOS or Windows, x64 or arm64`);
    process.exit(1);
  }
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  // A terminal sends these to both; a program that stops this one sends them here alone.
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (err) => {
    console.error(`packgen: start ${path}: ${err.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const s of signals) process.removeAllListeners(s);
    process.kill(process.pid, signal);
  });
};
