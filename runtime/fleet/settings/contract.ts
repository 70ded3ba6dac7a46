/** Schemas of the settings of the fleet, which operators change and all its processes read. */
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { LANGUAGES, type Language } from '../../base/language.ts';
import { closed, open, utf8 } from '../../base/schema.ts';

const Seconds = (description: string) => Type.Integer({ minimum: 0, maximum: 604_800, description });
const Alert = Type.Boolean({ description: 'whether it is told by webhook and e-mail' });
const Url = (description: string) => utf8(199, { description, pattern: '^(https?://[!-~]+)?$' });
const Secret = Type.String({ maxLength: 256, description: 'write-only; "" for none' });

const after = (description: string) => ({ afterSeconds: Seconds(description), alert: Alert });
const rules = {
  offline: {
    ...after(''),
    afterSeconds: Type.Integer({
      ...{ minimum: 1, maximum: 604_800 },
      description: 'without a heartbeat or webhook; twice the interval of its heartbeats, where that is longer',
    }),
  },
  no_paper: after('that a printer has said it has no paper'),
  crash_loop: { withinSeconds: Seconds('for three crashes'), alert: Alert },
  custody_hold: after('in custody hold'),
};
const webhook = { url: Url('receiver of alerts; "" for none') };
const mail = {
  server: Type.String({
    maxLength: 199,
    pattern: '^(smtps?://[!-~]+)?$',
    description: 'smtp://host:port (STARTTLS where the server offers it), or smtps://host:port; "" for none',
  }),
  user: Type.String({ maxLength: 128, description: '"" for none' }),
  from: Type.String({ maxLength: 199, pattern: '^([!-;=?-~]+@[!-;=?-~]+)?$' }),
  to: Type.Array(Type.String({ maxLength: 199, pattern: '^[!-;=?-~]+@[!-;=?-~]+$' }), { maxItems: 16 }),
  language: Type.Union(
    (Object.keys(LANGUAGES) as Language[]).map((language) => Type.Literal(language)),
    { description: 'of its sentences' },
  ),
};
const compose = {
  url: Url('base URL of a server with the OpenAI chat API, usually ending in /v1; "" for none'),
  model: Type.String({ maxLength: 128 }),
};
const firmware = {
  origin: Url('base URL where images are fetched instead of here, at <origin>/firmware/<sha256>; "" for here'),
  keys: Type.Array(Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }), {
    maxItems: 16,
    description:
      'Ed25519 public keys (raw, base64) of which one must have signed an image that is uploaded; [] and none is taken',
  }),
};
const Days = (minimum: number, description: string) => Type.Integer({ minimum, maximum: 3660, description });
const keepDays = Type.Integer({ minimum: 1, maximum: 366, description: 'whole days that what came in is kept' });
const keep = {
  hoursDays: Days(31, 'sums of hours, at least as long as keepDays'),
  changesDays: Days(31, 'changes of nodes, ended alerts, what was told of them, and what was wrong with requests'),
  auditDays: Days(0, 'the audit; 0: for good'),
};

const part = <const P extends TProperties>(properties: P) => Type.Optional(Type.Partial(closed(properties)));

/** The body of PUT /api/settings: what is left out stays as it is. */
export const SettingsPatch = closed(
  {
    keepDays: Type.Optional(keepDays),
    keep: part(keep),
    rules: Type.Optional(
      closed({
        offline: part(rules.offline),
        no_paper: part(rules.no_paper),
        crash_loop: part(rules.crash_loop),
        custody_hold: part(rules.custody_hold),
      }),
    ),
    alerts: Type.Optional(
      closed({ webhook: part({ ...webhook, secret: Secret }), mail: part({ ...mail, password: Secret }) }),
    ),
    compose: part({ ...compose, key: Secret }),
    firmware: part(firmware),
  },
  { $id: 'SettingsPatch' },
);

const IsSet = Type.Boolean({ description: 'whether one is stored' });
/** The response of GET and PUT /api/settings: secrets as flags. */
export const SettingsView = open(
  {
    keepDays,
    keep: open(keep),
    rules: open({
      offline: open(rules.offline),
      no_paper: open(rules.no_paper),
      crash_loop: open(rules.crash_loop),
      custody_hold: open(rules.custody_hold),
    }),
    alerts: open({ webhook: open({ ...webhook, secretSet: IsSet }), mail: open({ ...mail, passwordSet: IsSet }) }),
    compose: open({ ...compose, keySet: IsSet }),
    firmware: open(firmware),
  },
  { $id: 'Settings' },
);
export type SettingsView = Static<typeof SettingsView>;

/** The settings as they are stored, whole. */
export interface Settings {
  readonly keepDays: number;
  readonly keep: SettingsView['keep'];
  readonly rules: SettingsView['rules'];
  readonly alerts: {
    readonly webhook: { readonly url: string; readonly secret: string };
    readonly mail: {
      readonly server: string;
      readonly user: string;
      readonly password: string;
      readonly from: string;
      readonly to: readonly string[];
      readonly language: Language;
    };
  };
  readonly compose: { readonly url: string; readonly model: string; readonly key: string };
  readonly firmware: { readonly origin: string; readonly keys: readonly string[] };
}
