/**
 * The 27 files whose mutants are counted (`npm run mutants -- --all`), each with its nearest tests: the ones that a person who
 * changes the file would run. Other files are asked with the tests that mirror them.
 */
const jobs = (...names: readonly string[]) => names.map((name) => `test/plugins/printer/jobs/${name}.test.ts`);
const raw = (...names: readonly string[]) => names.map((name) => `test/plugins/printer/raw/${name}.test.ts`);
const services = (...names: readonly string[]) => names.map((name) => `test/services/${name}.test.ts`);
const codecs = (...names: readonly string[]) => names.map((name) => `test/codecs/${name}.test.ts`);

export const WATCHED: Readonly<Record<string, readonly string[]>> = {
  'plugins/printer/jobs/job.ts': jobs(
    ...['job', 'job-neighbours', 'job-kicks', 'job-waited-for', 'reach', 'job-properties'],
  ),
  'plugins/printer/jobs/outlet.ts': jobs(
    'outlet-recovery',
    'outlet-faults',
    'job',
    'job-neighbours',
    'job-kicks',
    'outlet',
    'reach',
  ),
  'plugins/printer/jobs/waiters.ts': jobs('waiters', 'outlet'),
  'plugins/printer/jobs/between.ts': jobs('job', 'job-neighbours', 'outlet', 'outlet-recovery'),
  'plugins/printer/jobs/status.ts': jobs('status-answers', 'status'),
  'codecs/escpos-trail.ts': [...codecs('escpos-trail', 'escpos-stream'), 'test/fuzz/escpos-trail.test.ts'],
  'codecs/escpos-macro.ts': [...codecs('escpos-macro', 'escpos-stream'), ...jobs('job', 'job-neighbours')],
  'plugins/printer/raw/connection.ts': raw(
    ...['connection', 'connection-turns', 'connection-faults', 'connection-answers', 'connection-early'],
  ),
  'plugins/printer/raw/bytes.ts': raw('bytes'),
  'codecs/hid-pos.ts': codecs('hid-pos'),
  'codecs/hid-keyboard.ts': codecs('hid-keyboard'),
  'codecs/keyboard-report.ts': codecs('hid-keyboard'),
  'codecs/alt-code.ts': codecs('hid-keyboard'),
  'runtime/services/update/intake.ts': services(
    'update/pieces',
    'update/upload',
    'update/revoked',
    'update/system',
    'cloud/firmware',
  ),
  'runtime/services/update/requests.ts': services('update/rules', 'update/requests'),
  'runtime/services/cloud/firmware.ts': services('cloud/offers', 'cloud/firmware'),
  'runtime/recipes/table.ts': ['test/kernel/recipes.test.ts'],
  'runtime/http/delivery.ts': ['delivery-attempts', 'delivery', 'delivery-last-error'].map(
    (name) => `test/http/${name}.test.ts`,
  ),
  'runtime/http/targets.ts': ['test/http/targets.test.ts'],
  'runtime/boot/slots.ts': ['test/boot/slots.test.ts'],
  'runtime/boot/state.ts': ['test/boot/changes.test.ts', 'test/boot/state.test.ts', 'test/boot/launcher.test.ts'],
  'runtime/services/settings/keys.ts': services('settings/api-key', 'settings/api-mode'),
  'runtime/services/peers/table.ts': services('peers/table'),
  'runtime/services/custody/custody.ts': services('custody/acts', 'custody/keys', 'custody/hold', 'custody/slips'),
  'runtime/services/custody/gestures.ts': services('custody/gestures', 'custody/button'),
  'plugins/scale/scale.ts': ['reading', 'scale', 'asleep', 'repeats', 'hostile'].map(
    (name) => `test/plugins/scale/${name}.test.ts`,
  ),
  'plugins/printer/layout/text.ts': ['text', 'breaks', 'layout', 'scripts', 'print-area'].map(
    (name) => `test/plugins/printer/layout/${name}.test.ts`,
  ),
};
