/** A field that password managers know. */
import { useId } from 'preact/hooks';
import { say } from './say.ts';

/** As `PasswordPut` has it. */
const LEAST = 12;

interface PasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Whether it is a new password. */
  readonly fresh?: boolean;
  /** Whether it is no password, but secret all the same. */
  readonly token?: boolean;
}

/** One secret on one line. */
export function PasswordField({ label, value, onValue, fresh = false, token = false }: PasswordProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="password"
        required
        maxLength={256}
        {...(fresh && { minLength: LEAST, 'aria-describedby': `${id}-hint` })}
        autocomplete={token ? 'off' : fresh ? 'new-password' : 'current-password'}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {fresh && (
        <small id={`${id}-hint`} class="quiet">
          {say('atLeast', { n: LEAST })}
        </small>
      )}
    </div>
  );
}
