/** People and tokens, for owners. */
import { useState } from 'preact/hooks';
import { Button, Form } from '../../page/kit/action.tsx';
import { SelectField, TextField } from '../../page/kit/fields.tsx';
import { Card, Table } from '../../page/kit/layout.tsx';
import { ROLES, type Role, SCOPES, type Scope } from '../http/roles.ts';
import type { ApiToken, Person } from '../sign-in/contract.ts';
import { ask, useAsked } from './api.ts';
import { PasswordField } from './password.tsx';
import { fullTime, Shown, Text } from './pieces.tsx';
import { say } from './say.ts';

const DAYS = 365;

/** The people who may sign in here, and the programs that have a token. */
export function PeopleView() {
  const people = useAsked<{ readonly people: readonly Person[] }>('people');
  const tokens = useAsked<{ readonly tokens: readonly ApiToken[] }>('tokens');
  return (
    <>
      <Shown asked={people}>{(data) => <People people={data.people} reload={people.reload} />}</Shown>
      <Shown asked={tokens}>{(data) => <Tokens tokens={data.tokens} reload={tokens.reload} />}</Shown>
    </>
  );
}

type Reload = { readonly reload: () => Promise<void> };

function People({ people, reload }: Reload & { readonly people: readonly Person[] }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [password, setPassword] = useState('');
  const put = async () => {
    await ask('PUT', `people/${encodeURIComponent(name.trim())}`, { body: { role, password } });
    setPassword('');
    await reload();
    return say('saved');
  };
  const remove = (person: Person) => async () => {
    await ask('DELETE', `people/${encodeURIComponent(person.name)}`);
    await reload();
    return undefined;
  };
  return (
    <Card title={say('people')}>
      <Table
        caption={say('people')}
        head={[say('name'), say('role'), say('secondFactor'), say('what')]}
        rows={people.map((person) => ({
          key: person.name,
          cells: [
            <Text key="name">{person.name}</Text>,
            say(`role_${person.role}`),
            person.totp ? say('secondFactorSet') : '–',
            <Button key="remove" confirm={say('reallyRemove', { name: person.name })} onPress={remove(person)}>
              {say('removePerson', { name: person.name })}
            </Button>,
          ],
        }))}
        empty={say('noPeople')}
      />
      <Form submit={say('putPerson')} onSubmit={put}>
        <TextField label={say('name')} required maxLength={64} value={name} onValue={setName} />
        <SelectField
          label={say('role')}
          value={role}
          options={ROLES.map((each) => [each, say(`role_${each}`)] as const)}
          onValue={setRole}
        />
        <PasswordField label={say('newPassword')} fresh value={password} onValue={setPassword} />
      </Form>
    </Card>
  );
}

function Tokens({ tokens, reload }: Reload & { readonly tokens: readonly ApiToken[] }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [days, setDays] = useState(String(DAYS));
  const make = async () => {
    const { token } = await ask<{ token: string }>('POST', 'tokens', { body: { name, scope, days: Number(days) } });
    await reload();
    return say('tokenOnce', { token });
  };
  const revoke = (token: ApiToken) => async () => {
    await ask('DELETE', `tokens/${token.id}`);
    await reload();
    return undefined;
  };
  return (
    <Card title={say('tokens')}>
      <Table
        caption={say('tokens')}
        head={[say('name'), say('scope'), say('expires'), say('what')]}
        rows={tokens.map((token) => ({
          key: token.id,
          cells: [
            <Text key="name">{token.name}</Text>,
            say(`scope_${token.scope}`),
            fullTime(token.expiresAt),
            <Button key="revoke" onPress={revoke(token)}>
              {say('revoke', { name: token.name })}
            </Button>,
          ],
        }))}
        empty={say('noTokens')}
      />
      <Form submit={say('makeToken')} onSubmit={make}>
        <TextField label={say('name')} required maxLength={64} value={name} onValue={setName} />
        <SelectField
          label={say('scope')}
          value={scope}
          options={SCOPES.map((each) => [each, say(`scope_${each}`)] as const)}
          onValue={setScope}
        />
        <TextField label={say('days')} type="number" min={1} max={3660} required value={days} onValue={setDays} />
      </Form>
    </Card>
  );
}

/** A second factor for who is signed in. */
export function SecondFactor({ isSet, onSet }: { isSet: boolean; onSet: () => void }) {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string }>();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = async () => {
    setBegun(await ask('POST', 'totp', { body: { password, ...(isSet && { code: code.trim() }) } }));
    setPassword('');
    setCode('');
    return undefined;
  };
  const confirm = async () => {
    await ask('PUT', 'totp', { body: { code: code.trim() } });
    setBegun(undefined);
    setCode('');
    onSet();
    return say('saved');
  };
  return (
    <Card title={say('secondFactor')}>
      {isSet && <p>{say('secondFactorSet')}</p>}
      {begun === undefined ? (
        <Form key="begin" submit={say('beginSecondFactor')} onSubmit={begin}>
          <PasswordField label={say('currentPassword')} value={password} onValue={setPassword} />
          {isSet && (
            <TextField label={say('code')} required pattern="\d{6}" maxLength={6} value={code} onValue={setCode} />
          )}
        </Form>
      ) : (
        <Form key="confirm" submit={say('save')} onSubmit={confirm}>
          <p>{say('secondFactorHint')}</p>
          <p>
            <a href={begun.uri} translate={false}>
              <code>{begun.secret}</code>
            </a>
          </p>
          <TextField label={say('code')} required pattern="\d{6}" maxLength={6} value={code} onValue={setCode} />
        </Form>
      )}
    </Card>
  );
}
