/** Schemas of signing in. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { ROLES, type Role, SCOPES, type Scope } from '../http/roles.ts';

/** scrypt reads all of it; no person types more. */
const MOST_BYTES = 256;
const Password = Type.String({ minLength: 1, maxUtf8Bytes: MOST_BYTES });

/**
 * The name of a local account: one line of visible characters, which no provider or token has as its name, and no step of a path, which
 * every client takes out of one.
 */
export const NAME = /^(?!\.{1,2}$)[^\p{C}\s:@]([^\p{C}:@]{0,62}[^\p{C}\s:@])?$/u;
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Code = Type.String({ pattern: '^\\d{6}$', description: 'of the app, where there is a second factor' });
const RoleName = Type.Unsafe<Role>({ type: 'string', enum: ROLES });
const ScopeName = Type.Unsafe<Scope>({ type: 'string', enum: SCOPES });

/** The body of POST /api/session. */
export const SignIn = closed(
  {
    name: Type.Optional({ ...Name, description: '"owner" unless given' }),
    password: Password,
    code: Type.Optional(Code),
  },
  { $id: 'SignIn' },
);

/** A local account. */
export const Person = open(
  { name: Type.String(), role: RoleName, totp: Type.Boolean({ description: 'whether there is a second factor' }) },
  { $id: 'Person' },
);
export type Person = Static<typeof Person>;
/** The response of GET /api/people. */
export const PeopleList = open({ people: Type.Array(Person) }, { $id: 'PeopleList' });

/** The body of PUT /api/people/:name. */
export const PersonPut = closed(
  {
    role: Type.Optional({ ...RoleName, description: 'viewer for somebody new unless given' }),
    password: Type.Optional(Type.String({ minLength: 12, maxUtf8Bytes: MOST_BYTES })),
    totp: Type.Optional(Type.Literal(false, { description: 'takes the second factor away, of who has lost it' })),
  },
  { $id: 'PersonPut' },
);

/** The body of POST /api/totp. */
export const TotpPost = closed(
  {
    password: Password,
    code: Type.Optional({ ...Code, description: 'of the app until now, where there is a second factor already' }),
  },
  { $id: 'TotpPost' },
);
/** The response of POST /api/totp. */
export const TotpBegun = open(
  { secret: Type.String({ description: 'base32' }), uri: Type.String({ description: 'otpauth://… for a QR code' }) },
  { $id: 'TotpBegun' },
);
/** The body of PUT /api/totp. */
export const TotpPut = closed({ code: Code }, { $id: 'TotpPut' });

/** The body of POST /api/tokens. */
export const ApiTokenPost = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: 'what it is for, as the audit has it' }),
    scope: ScopeName,
    days: Type.Integer({ minimum: 1, maximum: 3660, description: 'until it ends' }),
  },
  { $id: 'ApiTokenPost' },
);
const token = {
  id: Type.Integer(),
  name: Type.String(),
  scope: ScopeName,
  madeBy: Type.String(),
  madeAt: Type.String({ description: 'ISO 8601' }),
  expiresAt: Type.String(),
};
/** A token for a program. */
export const ApiToken = open(token, { $id: 'ApiToken' });
export type ApiToken = Static<typeof ApiToken>;
/** The response of GET /api/tokens. */
export const ApiTokenList = open({ tokens: Type.Array(ApiToken) }, { $id: 'ApiTokenList' });
/** The response of POST /api/tokens. */
export const ApiTokenMade = open(
  { ...token, token: Type.String({ description: 'shown this once' }) },
  { $id: 'ApiTokenMade' },
);

/** The body of PUT /api/password. */
export const PasswordPut = closed(
  {
    password: Type.String({ minLength: 12, maxUtf8Bytes: MOST_BYTES, description: 'the new one' }),
    current: Type.Optional(
      Type.String({ maxUtf8Bytes: MOST_BYTES, description: 'the one until now; not needed with the master token' }),
    ),
    code: Type.Optional(Code),
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
    role: Type.Union([RoleName, ScopeName, Type.Null()], { description: 'what who is signed in may' }),
    totp: Type.Boolean({ description: 'whether who is signed in has a second factor' }),
    passwordSet: Type.Boolean({ description: 'false: PUT /api/password with the master token sets the first one' }),
  },
  { $id: 'Session' },
);
export type SessionView = Static<typeof SessionView>;
