// What a program in JavaScript (Node) finds as an app: the folders, then reading and writing in each.
// Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step.
const fs = require('fs');
const os = require('os');
const path = require('path');

const home = os.homedir();

function writeAndRead(file) {
  fs.writeFileSync(file, 'some text');
  return fs.readFileSync(file, 'utf8');
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
step('bundle', () => fs.readFileSync('Recipes.plist', 'utf8').trim());
step('documents', () => writeAndRead(path.join(home, 'Documents/Write.txt')));
step('library', () => writeAndRead(path.join(home, 'Library/Write.txt')));
step('caches', () => writeAndRead(path.join(home, 'Library/Caches/Write.txt')));
step('tmp', () => writeAndRead(path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'guide-')), 'Write.txt')));
step('serializer', () => {
  const file = path.join(home, 'Documents/note.json');
  fs.writeFileSync(file, JSON.stringify({ count: 7 }));
  return JSON.parse(fs.readFileSync(file, 'utf8')).count;
});
step('writeInBundle', () => writeAndRead('new.txt'));
step('writeAtTopLevel', () => writeAndRead(path.join(home, 'new.txt')));
step('directoryAtTopLevel', () => {
  fs.mkdirSync(path.join(home, 'Made'));
  return 'made';
});
