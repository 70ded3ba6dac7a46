import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../runtime/kernel/log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillnode-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log', () => {
  it('has a line of JSON for each entry, written when the call returns, with its level as a number', () => {
    const path = join(folder, 'log');
    const fd = openSync(path, 'w');
    const log = createLog(fd);
    log.info({ port: '1-1' }, 'device bound');
    log.warn({ ssid: 'two\nlines' }, 'not joined');
    log.error({}, 'request failed');
    log.fatal({}, 'uncaught error');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    closeSync(fd);
    expect(lines.map((line) => ({ ...JSON.parse(line), time: 0 }))).toEqual([
      { level: 30, time: 0, port: '1-1', msg: 'device bound' },
      { level: 40, time: 0, ssid: 'two\nlines', msg: 'not joined' },
      { level: 50, time: 0, msg: 'request failed' },
      { level: 60, time: 0, msg: 'uncaught error' },
    ]);
    expect(Date.now() - (JSON.parse(lines[0] ?? '') as { time: number }).time).toBeLessThan(600_000);
  });

  it('loses what nobody takes, and the node goes on', () => {
    const fd = openSync('/dev/full', 'w');
    const log = createLog(fd);
    const looped: Record<string, unknown> = {};
    looped['itself'] = looped;
    expect(() => log.info({}, 'to a full disk')).not.toThrow();
    expect(() => log.info(looped, 'without end')).not.toThrow();
    closeSync(fd);
  });
});
