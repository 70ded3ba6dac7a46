/** Checks of a room's declarations, without starting it. */
import assert from 'node:assert/strict';
import { createAjv } from '../base/ajv.ts';
import { type Composition, compose } from '../kernel/composition.ts';
import { CORE_ERRORS } from '../kernel/core-errors.ts';
import { describe } from '../kernel/describe.ts';
import { compileValidators } from '../kernel/schemas.ts';
import { checkRecipes } from '../recipes/check.ts';
import { checkRow, type RecipeRow } from '../recipes/row.ts';
import { roomsWith } from './bench.ts';
import { type Check, endpointOf, type RoomUnderTest } from './check.ts';

const IMAGE = {
  variant: 'test',
  version: '0.0.0',
  usbChannels: 16,
  hardware: {},
  trustedKeys: [],
  securityFloor: 1,
  scripts: [],
};

/** The checks; each rejects with an AssertionError. */
export function declaredChecks(room: RoomUnderTest): Check[] {
  const { plugin, beside, endpoint, recipeFiles = [] } = room;
  const composed = (): Composition => compose(roomsWith(plugin, beside), CORE_ERRORS);
  const { routes = [], codecs = [], errors = [], config = [], events = {}, inputs = [] } = plugin;
  return [
    {
      sentence: 'describes itself without running, as data',
      check: () => {
        const described = describe(IMAGE, composed(), 0);
        assert.deepEqual(JSON.parse(JSON.stringify(described)), described);
        assert.ok(described.plugins.includes(plugin.name));
      },
    },
    {
      sentence: 'declares the endpoint, and codecs of its kind whose options are described',
      check: () => {
        const own = endpointOf(room);
        assert.ok(own, `no endpoint ${endpoint}`);
        assert.ok(codecs.length > 0, 'no codec');
        for (const { name, kind, options } of codecs) {
          assert.equal(kind, own.kind, `codec ${name}`);
          for (const [option, { description }] of Object.entries(options))
            assert.ok(description, `option ${option} of codec ${name} has no description`);
        }
      },
    },
    {
      sentence: 'has shapes that compile, each with a name',
      check: () => {
        for (const [id, validate] of Object.entries(compileValidators(composed()))) assert.ok(validate, id);
        const ajv = createAjv();
        const answers = routes.flatMap(({ response }) => (response === undefined ? [] : [response]));
        for (const schema of new Set([...answers, ...inputs, ...Object.values(events).map(({ schema }) => schema)])) {
          assert.ok(schema.$id, `a schema has no $id: ${JSON.stringify(schema).slice(0, 80)}`);
          ajv.compile(schema);
        }
      },
    },
    {
      sentence: 'says of every route what it is for, and of every error what it means',
      check: () => {
        const table = composed().errors;
        for (const { method, path, summary, body } of routes) {
          assert.ok(summary, `${method} ${path} has no summary`);
          if (typeof body?.invalid === 'string')
            assert.ok(table.has(body.invalid), `${method} ${path} answers ${body.invalid}, which nobody declares`);
        }
        for (const { code, status, meaning } of errors) {
          assert.match(code, /^[a-z][a-z0-9_]*$/);
          assert.ok(status >= 400 && status < 600, `${code} has status ${status}`);
          assert.ok(meaning, `${code} has no meaning`);
        }
      },
    },
    {
      sentence: 'has a configuration whose defaults fit their shapes',
      check: () => {
        const ajv = createAjv();
        for (const { key, schema, default: value } of config)
          assert.ok(ajv.validate(schema, value), `${key}: ${ajv.errorsText()}`);
      },
    },
    {
      sentence: 'brings recipe files that are in order',
      check: () => assert.deepEqual(checkRecipes(recipeFiles, new Map(codecs.map((codec) => [codec.name, codec]))), []),
    },
    {
      sentence: 'has rows refused by name that set an option it does not declare, or name a codec that nobody has',
      check: () => {
        const known = composed().codecs;
        for (const { name, kind } of codecs) {
          const row: RecipeRow = {
            ...{ id: 'conformance', vendorId: '1209', productId: '0001', make: 'Make', model: 'Model' },
            ...{ kind, codec: name, options: {} },
          };
          assert.equal(checkRow(row, known), undefined);
          assert.match(checkRow({ ...row, options: { noSuchOption: 1 } }, known) ?? '', /^options\.noSuchOption: /);
          assert.match(checkRow({ ...row, codec: 'no-such-codec' }, known) ?? '', /^codec: .*"no-such-codec"/);
          assert.match(checkRow({ ...row, kind: 'nothing' }, known) ?? '', /^kind: /);
        }
      },
    },
  ];
}
