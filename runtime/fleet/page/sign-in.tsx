/** What the page shows before anybody is signed in. */
import { useState } from 'preact/hooks';
import { Form } from '../../page/kit/action.tsx';
import { TextField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import type { SessionView } from '../sign-in/contract.ts';
import { ask } from './api.ts';
import { PasswordField } from './password.tsx';
import { say } from './say.ts';

interface SignInProps {
  readonly session: SessionView;
  readonly onSession: (session: SessionView) => void;
}

/** What came of going to the provider. */
const wayBack = () => say.find(`signIn_${new URLSearchParams(location.search).get('sign-in')}`);

/** The way in that the fleet has: a provider, the password, or the first password. */
export function SignIn({ session, onSession }: SignInProps) {
  return (
    <Card>
      {session.way === 'openid' ? (
        <>
          {wayBack() !== undefined && (
            <p class="bad" role="alert">
              {wayBack()}
            </p>
          )}
          <p>
            <a class="button" href="sign-in/openid">
              {say('signIn')}
            </a>
          </p>
        </>
      ) : session.passwordSet ? (
        <WithPassword onSession={onSession} />
      ) : (
        <FirstPassword onSession={onSession} />
      )}
    </Card>
  );
}

/** The account that the master token makes first. */
const FIRST = 'owner';

function WithPassword({ onSession }: Pick<SignInProps, 'onSession'>) {
  const [name, setName] = useState(FIRST);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const enter = async () => {
    const given = { name: name.trim(), password, ...(code !== '' && { code: code.trim() }) };
    try {
      onSession(await ask<SessionView>('POST', 'session', { body: given }));
    } catch (error) {
      if ((error as { code?: string }).code === 'code_needed') setCodeNeeded(true);
      throw error;
    }
    return undefined;
  };
  return (
    <Form submit={say('signIn')} onSubmit={enter}>
      <TextField label={say('name')} required maxLength={64} value={name} onValue={setName} />
      <PasswordField label={say('password')} value={password} onValue={setPassword} />
      {isCodeNeeded && (
        <TextField label={say('code')} required pattern="\d{6}" maxLength={6} value={code} onValue={setCode} />
      )}
    </Form>
  );
}

function FirstPassword({ onSession }: Pick<SignInProps, 'onSession'>) {
  const [token, setToken] = useState('');
  const [password, setPassword] = useState('');
  const set = async () => {
    onSession(await ask<SessionView>('PUT', 'password', { body: { password }, token }));
    return undefined;
  };
  return (
    <>
      <p>{say('firstTime')}</p>
      <Form submit={say('setPassword')} onSubmit={set}>
        <PasswordField label={say('token')} token value={token} onValue={setToken} />
        <PasswordField label={say('newPassword')} fresh value={password} onValue={setPassword} />
      </Form>
    </>
  );
}
