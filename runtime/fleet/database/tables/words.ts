/** Words that are looked for in whatever case, in every script. */
import type { Migration } from './migration.ts';

/** Every letter that has another case, with what it is looked for as. */
const FOLDED: readonly (readonly [letter: string, as: string])[] = Array.from({ length: 0x20000 }, (_, code) => code)
  // ASCII the database knows; halves of surrogate pairs are no characters.
  .filter((code) => code >= 0x80 && (code < 0xd800 || code > 0xdfff))
  .map((code) => String.fromCodePoint(code))
  // By its capital letter, in which ß and ss, ς and σ, ı and i are the same; each alone, as ς ends a word.
  .map((letter) => [letter, Array.from(letter.toUpperCase(), (each) => each.toLowerCase()).join('')] as const)
  // The dot of İ, also of an i that was made of it.
  .map(([letter, as]) => [letter, as.replace('i\u0307', 'i')] as const)
  .filter(([letter, as]) => letter !== as);
const isOne = ([, as]: readonly [string, string]) => Array.from(as).length === 1;
const ONE = FOLDED.filter(isOne);
const MORE = [...FOLDED.filter((each) => !isOne(each)), ['i\u0307', 'i'] as const];

/** The text with each of MORE replaced, in SQL. */
const replaced = MORE.reduce(
  (text, [letter, as]) => `replace(${text}, '${letter}', '${as}')`,
  `translate(lower(given COLLATE "C"), '${ONE.map(([letter]) => letter).join('')}', '${ONE.map(([, as]) => as).join('')}')`,
);

const wordsOf = (of: string) =>
  `fold(concat_ws(E'\\n', ${of}.id, coalesce(${of}.name, ${of}.said_name), ${of}.site, ${of}.address))`;
const LISTED_COLUMNS = [
  ...['id', 'variant', 'version', 'version_order', 'said_name', 'name', 'site', 'tags', 'address', 'states'],
  'muted_until',
];

export const FOLD: Migration = {
  name: '024-fold',
  statements: [
    // By its own letters: what lower() knows beyond ASCII is of the locale of the database, and of some columns nothing.
    `CREATE FUNCTION fold(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      IF octet_length(given) = length(given) THEN RETURN lower(given COLLATE "C"); END IF;
      RETURN ${replaced};
    END $$`,
    `CREATE OR REPLACE FUNCTION list_node() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN DELETE FROM listed WHERE id = OLD.id; END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO listed VALUES (${LISTED_COLUMNS.map((column) => `NEW.${column}`).join(', ')}, ${wordsOf('NEW')});
      END IF;
      RETURN NULL;
    END $$`,
    'ALTER TABLE site ADD COLUMN words text GENERATED ALWAYS AS (fold(name)) STORED',
  ],
};

export const FOLDED_FILLED: Migration = {
  name: '025-folded-filled',
  statements: [],
  // What the function before wrote is done when nobody is writing; a node that changes meanwhile is listed by the new one.
  batches: {
    lock: 'LOCK TABLE node IN SHARE MODE',
    next: `WITH part AS (SELECT id, words FROM listed WHERE id > $1 ORDER BY id LIMIT 2000),
        put AS (UPDATE listed SET words = fold(part.words) FROM part
          WHERE listed.id = part.id AND octet_length(part.words) <> length(part.words))
      SELECT max(id) AS last FROM part`,
  },
};
