// What a program in JavaScript (Node) finds as an app: the folders, then reading and writing in each.
// Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step.
const fs = require('fs');
const os = require('os');
const path = require('path');
const v8 = require('v8');

const home = os.homedir();
const documents = path.join(home, 'Documents');
// Not joined, which would take the dots away.
const library = `${documents}/../Library`;

function writeAndRead(file) {
  fs.writeFileSync(file, 'some text');
  return fs.readFileSync(file, 'utf8');
}

// In the app's defaults, which neither iOS nor Node has a call for.
function countStarts() {
  const file = `${library}/Preferences/local.Recipes.plist`;
  const found = fs.existsSync(file) && /<integer>(\d+)/.exec(fs.readFileSync(file, 'utf8'));
  const starts = (found ? Number(found[1]) : 0) + 1;
  const list = `<dict><key>starts</key><integer>${starts}</integer></dict>`;
  fs.writeFileSync(file, `<?xml version="1.0"?><plist version="1.0">${list}</plist>`);
  return starts;
}

function step(name, action) {
  let outcome;
  try {
    outcome = action();
  } catch (error) {
    outcome = error.code;
  }
  console.log(name, outcome);
}

console.log('home', home);
console.log('passwd', os.userInfo().homedir);
console.log('temporary', os.tmpdir());
console.log('current', process.cwd());
step('bundle', () => fs.readFileSync('./Recipes.plist', 'utf8').trim());
step('documents', () => writeAndRead(`${documents}/Write.txt`));
step('library', () => writeAndRead(`${library}/Write.txt`));
step('caches', () => writeAndRead(`${library}/Caches/Write.txt`));
step('tmp', () => writeAndRead(`${documents}/../tmp/Write.txt`));
step('temporaryFile', () => writeAndRead(path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'guide-')), 'Write.txt')));
step('json', () => {
  fs.writeFileSync(`${documents}/note.json`, JSON.stringify({ count: 7 }));
  return JSON.parse(fs.readFileSync(`${documents}/note.json`, 'utf8')).count;
});
step('bytes', () => {
  fs.writeFileSync(`${library}/note.bytes`, v8.serialize({ count: 7 }));
  return v8.deserialize(fs.readFileSync(`${library}/note.bytes`)).count;
});
step('defaults', countStarts);
step('missing', () => fs.readFileSync(`${documents}/missing`));
step('writeInBundle', () => writeAndRead('./new.txt'));
step('deleteInBundle', () => fs.unlinkSync('./Recipes.plist'));
step('writeAtTopLevel', () => writeAndRead(path.join(home, 'new.txt')));
step('directoryAtTopLevel', () => {
  fs.mkdirSync(path.join(home, 'Made'));
  return 'made';
});
