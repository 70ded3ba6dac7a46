/** Settings of the fleet: rules, who is told, compose, and the password. */
import { useState } from 'preact/hooks';
import { LANGUAGES } from '../../base/language.ts';
import { Form } from '../../page/kit/action.tsx';
import { type Setting, SettingsForm } from '../../page/kit/config-form.tsx';
import { TextField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import { SettingsView as Schema, type SettingsView as View } from '../settings/contract.ts';
import type { SessionView } from '../sign-in/contract.ts';
import { Allowed, isEnough } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { PasswordField } from './password.tsx';
import { SecondFactor } from './people.tsx';
import { Shown } from './pieces.tsx';
import { say } from './say.ts';

const { rules, alerts, compose, firmware, keepDays, keep } = Schema.properties;
const secret = { type: 'string', maxLength: 256 };

/** A part of the settings: where it is in the patch, and its fields. */
interface Part {
  readonly title: string;
  readonly path: readonly string[];
  readonly settings: readonly Setting[];
}

const seconds = say('seconds');
const tell = say('tell');

const PARTS: readonly Part[] = [
  ...(['offline', 'no_paper', 'custody_hold'] as const).map((rule) => ({
    title: say(`state_${rule}`),
    path: ['rules', rule],
    settings: [
      {
        key: 'afterSeconds',
        schema: rules.properties[rule].properties.afterSeconds,
        label: say('afterTime'),
        hint: seconds,
      },
      { key: 'alert', schema: rules.properties[rule].properties.alert, label: tell },
    ],
  })),
  {
    title: say('state_crash_loop'),
    path: ['rules', 'crash_loop'],
    settings: [
      {
        key: 'withinSeconds',
        schema: rules.properties.crash_loop.properties.withinSeconds,
        label: say('threeWithin'),
        hint: seconds,
      },
      { key: 'alert', schema: rules.properties.crash_loop.properties.alert, label: tell },
    ],
  },
  {
    title: say('webhook'),
    path: ['alerts', 'webhook'],
    settings: [
      { key: 'url', schema: alerts.properties.webhook.properties.url, label: say('url'), hint: say('emptyForNone') },
      { key: 'secret', schema: secret, label: say('secret'), secret: true },
    ],
  },
  {
    title: say('mail'),
    path: ['alerts', 'mail'],
    settings: [
      {
        key: 'server',
        schema: alerts.properties.mail.properties.server,
        label: say('server'),
        hint: 'smtp://, smtps://',
      },
      { key: 'user', schema: alerts.properties.mail.properties.user, label: say('user') },
      { key: 'password', schema: secret, label: say('password'), secret: true },
      { key: 'from', schema: alerts.properties.mail.properties.from, label: say('from') },
      { key: 'to', schema: alerts.properties.mail.properties.to, label: say('to'), hint: say('oneALine') },
      {
        key: 'language',
        schema: alerts.properties.mail.properties.language,
        label: say('mailLanguage'),
        words: LANGUAGES,
      },
    ],
  },
  {
    title: say('compose'),
    path: ['compose'],
    settings: [
      { key: 'url', schema: compose.properties.url, label: say('url'), hint: say('composeHint') },
      { key: 'model', schema: compose.properties.model, label: say('model') },
      { key: 'key', schema: secret, label: say('key'), secret: true },
    ],
  },
  {
    title: say('releases'),
    path: ['firmware'],
    settings: [
      { key: 'keys', schema: firmware.properties.keys, label: say('signingKeys'), hint: say('signingKeysHint') },
      { key: 'origin', schema: firmware.properties.origin, label: say('imageOrigin'), hint: say('imageOriginHint') },
    ],
  },
  { title: say('kept'), path: [], settings: [{ key: 'keepDays', schema: keepDays, label: say('keepDays') }] },
  {
    title: say('keptLonger'),
    path: ['keep'],
    settings: (['hoursDays', 'changesDays', 'auditDays'] as const).map((key) => ({
      key,
      schema: keep.properties[key],
      label: say(key),
    })),
  },
];

type Values = Readonly<Record<string, unknown>>;
const at = (view: View, path: readonly string[]): Values =>
  path.reduce<Values>((values, key) => values[key] as Values, view as unknown as Values);
/** The values below their path. */
const below = (path: readonly string[], values: Values): Values =>
  path.reduceRight<Values>((inner, key) => ({ [key]: inner }), values);

/** The settings, each part with a button of its own; and one's own password, which is everybody's. */
export function SettingsPage({ session }: { session: SessionView }) {
  const [hasFactor, setHasFactor] = useState(session.totp);
  return (
    <>
      {isEnough(session.role, 'operator') && <OfFleet />}
      {session.way === 'password' && (
        <>
          <ChangePassword needsCode={hasFactor} />
          <SecondFactor isSet={hasFactor} onSet={() => setHasFactor(true)} />
        </>
      )}
    </>
  );
}

function OfFleet() {
  const asked = useAsked<View>('settings');
  return (
    <Shown asked={asked}>
      {(view) =>
        PARTS.map(({ title, path, settings }) => (
          <Card key={title} title={title}>
            <Allowed takes="owner">
              <SettingsForm
                settings={settings}
                values={at(view, path)}
                maySave
                onSave={async (patch) => {
                  await ask('PUT', 'settings', { body: below(path, patch) });
                  await asked.reload();
                }}
              />
            </Allowed>
          </Card>
        ))
      }
    </Shown>
  );
}

function ChangePassword({ needsCode }: { needsCode: boolean }) {
  const [code, setCode] = useState('');
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = async () => {
    await ask('PUT', 'password', { body: { current, password, ...(code !== '' && { code }) } });
    setCurrent('');
    setPassword('');
    return say('passwordChanged');
  };
  return (
    <Card title={say('password')}>
      <Form submit={say('changePassword')} onSubmit={change}>
        <PasswordField label={say('currentPassword')} value={current} onValue={setCurrent} />
        <PasswordField label={say('newPassword')} fresh value={password} onValue={setPassword} />
        {needsCode && (
          <TextField label={say('code')} required pattern="\d{6}" maxLength={6} value={code} onValue={setCode} />
        )}
      </Form>
    </Card>
  );
}
