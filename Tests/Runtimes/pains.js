// What breaks on a device alone, in JavaScript: a mistake beside its twin, which is right.
const fs = require("fs");
const os = require("os");
const path = require("path");

const isRight = process.argv[3] === "twin";
const steps = {
  "top-level": () =>
    fs.writeFileSync(path.join(os.homedir(), isRight ? "Library" : "", "settings.json"), "{}"),
  "absolute-tmp": () => fs.writeFileSync(path.join(isRight ? os.tmpdir() : "/tmp", "upload.bin"), "x"),
};

try {
  steps[process.argv[2]]();
  console.log("saved");
} catch (error) {
  console.log(error.code);
}
