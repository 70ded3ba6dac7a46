/** Schemas of signing in. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

/** scrypt reads all of it; no person types more. */
const MOST_BYTES = 256;
const Password = Type.String({ minLength: 1, maxUtf8Bytes: MOST_BYTES });

/** The body of POST /api/session. */
export const SignIn = closed({ password: Password }, { $id: 'SignIn' });

/** The body of PUT /api/password. */
export const PasswordPut = closed(
  {
    password: Type.String({ minLength: 12, maxUtf8Bytes: MOST_BYTES, description: 'the new one' }),
    current: Type.Optional(
      Type.String({ maxUtf8Bytes: MOST_BYTES, description: 'the one until now; not needed with the master token' }),
    ),
  },
  { $id: 'PasswordPut' },
);

/** The response of GET and POST /api/session. */
export const SessionView = open(
  {
    name: Type.Union([Type.String(), Type.Null()], { description: 'who is signed in, as the audit has it' }),
    way: Type.Unsafe<'password' | 'openid'>({
      type: 'string',
      enum: ['password', 'openid'],
      description: 'how people sign in; openid: by going to sign-in/openid',
    }),
    passwordSet: Type.Boolean({ description: 'false: PUT /api/password with the master token sets the first one' }),
  },
  { $id: 'Session' },
);
export type SessionView = Static<typeof SessionView>;
