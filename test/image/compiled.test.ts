/** A bundle that was compiled ahead: used where it fits, and never the reason that a node does not start. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compileAhead } from '../../runtime/assembly/variant/compile-ahead.ts';
import { BUNDLE, COMPILED, compiledIn, MAIN, writeCompiled } from '../../runtime/image/compiled.ts';
import { unpack } from '../../runtime/image/pack.ts';

const SOURCE = '(function(require){"use strict";const sum=(a,b)=>a+b;return sum(require(2),3)})\n';

let folder: string;
const path = (name: string) => join(folder, name);
const ahead = () => readFileSync(path(COMPILED));
/** Whether what was compiled ahead is used, and what the bundle does. */
const started = () => {
  const { script, isAhead } = compiledIn(folder);
  return [isAhead, (script.runInThisContext() as (require: (n: number) => number) => number)((n) => n)];
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path(BUNDLE), SOURCE);
  const { script, isAhead } = compiledIn(folder);
  expect(isAhead).toBe(false);
  script.runInThisContext();
  writeCompiled(folder, script);
});

describe('a bundle that was compiled ahead', () => {
  it('is not compiled again', () => expect(started()).toEqual([true, 5]));

  it('is compiled as ever where the file has lost its end, at whatever byte', () => {
    const whole = ahead();
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(path(COMPILED), whole.subarray(0, length));
      expect(started(), `${length} of ${whole.length} bytes`).toEqual([false, 5]);
    }
  });

  it('is compiled as ever where one bit of the file is another', () => {
    const whole = ahead();
    for (let at = 0; at < whole.length; at += 1) {
      const other = Buffer.from(whole);
      other[at] = whole.readUInt8(at) ^ (1 << (at % 8));
      writeFileSync(path(COMPILED), other);
      expect(started(), `bit ${at % 8} of byte ${at}`).toEqual([false, 5]);
    }
  });

  it('is compiled as ever where the file is of another bundle, of the same length', () => {
    writeFileSync(path(BUNDLE), SOURCE.replace('a+b', 'a*b'));
    expect(started()).toEqual([false, 6]);
  });

  it.each([
    ['version', 'v20.19.0'],
    ['arch', 'riscv64'],
  ] as const)('is compiled as ever by a Node of another %s', (what, other) => {
    vi.spyOn(process, what, 'get').mockReturnValue(other as never);
    expect(started()).toEqual([false, 5]);
    vi.restoreAllMocks();
  });

  it('is compiled as ever where a folder has the name of the file', () => {
    rmSync(path(COMPILED));
    mkdirSync(path(COMPILED));
    expect(started()).toEqual([false, 5]);
  });
});

/** A bundle that does this, and then says and answers what an image does. */
const starting = (work: string) =>
  `(function(require){const main=()=>[1,2,3];const module=process.getBuiltinModule;${work};
  module("http").createServer((_,answer)=>answer.end("{}")).listen(0,"127.0.0.1",function(){
    module("fs").writeSync(1,"ready http://127.0.0.1:"+this.address().port+"\\nraw off\\n")})})\n`;

describe('compiling a bundle ahead', () => {
  it('gives the same bytes, wherever it stands', () => {
    writeFileSync(path(BUNDLE), starting(''));
    compileAhead(folder);
    const first = ahead();
    const other = mkdtempSync(join(tmpdir(), 'compiled-elsewhere-'));
    onTestFinished(() => rmSync(other, { recursive: true }));
    cpSync(path(BUNDLE), join(other, BUNDLE));
    compileAhead(other);
    expect(readFileSync(join(other, COMPILED)).equals(first)).toBe(true);
  });

  it('has what runs as it starts', () => {
    const bytesFor = (option: string) => {
      writeFileSync(path(BUNDLE), starting(`process.argv.includes("${option}")&&main()`));
      compileAhead(folder);
      return ahead().length;
    };
    expect(bytesFor('--state')).toBeGreaterThan(bytesFor('--other'));
  });

  it.each([
    ['no file but its own', 'module("fs").existsSync("/proc/version")'],
    ['no folder but its own', 'module("fs").readdirSync("/").length>0'],
    ['no program', '!module("child_process").spawnSync("true").error'],
    ['no interface of a network', 'Object.keys(module("os").networkInterfaces()).length>0'],
    ['nobody on the network', 'module("dgram").createSocket("udp4")'],
  ])('lets it find %s', (_, found) => {
    writeFileSync(path(BUNDLE), starting(`let found;try{found=${found}}catch{}if(found)process.exit(1)`));
    expect(() => compileAhead(folder)).not.toThrow();
  });
});

describe.each(['twin', 'wifi'])('the %s image that is built', (variant) => {
  const described = (main = MAIN) => execFileSync(process.execPath, [path(main), '--describe'], { encoding: 'utf8' });
  beforeEach(() => cpSync(join('dist', variant), folder, { recursive: true }));

  it('was compiled ahead by the Node that built it', () => expect(compiledIn(folder).isAhead).toBe(true));

  it('is of files in its image file that run on every machine', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const names = unpack(readFileSync(path(`tillnode-${variant}-${version}.img`))).files.map(({ name }) => name);
    expect(names).toContain(BUNDLE);
    expect(names).not.toContain(COMPILED);
  });

  it('starts by the name that launchers of before know, too', () =>
    expect(described('main.js')).toBe(readFileSync(path('image.json'), 'utf8')));

  it('starts whatever the file beside its bundle is', () => {
    const whole = ahead();
    const expected = readFileSync(path('image.json'), 'utf8');
    const middle = Buffer.from(whole);
    middle.fill(0, whole.length / 2, whole.length / 2 + 4096);
    for (const bytes of [whole, whole.subarray(0, -1), middle, Buffer.alloc(0), Buffer.from('nothing of V8')]) {
      writeFileSync(path(COMPILED), bytes);
      expect(described()).toBe(expected);
    }
  });
});
