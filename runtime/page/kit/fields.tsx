/** Controls with their labels. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with what stands in it. */
  readonly fault?: string | undefined;
}

const Hint = ({ id, hint, fault }: { id: string } & Pick<FieldProps, 'hint' | 'fault'>) =>
  hint === undefined && fault === undefined ? null : (
    <small id={id} class="quiet">
      {fault !== undefined && <strong class="bad">{fault} </strong>}
      {hint}
    </small>
  );

/** What ties a control to its hint and its fault. */
const described = (id: string, { hint, fault }: Pick<FieldProps, 'hint' | 'fault'>) => ({
  'aria-describedby': hint === undefined && fault === undefined ? undefined : `${id}-hint`,
  'aria-invalid': fault === undefined ? undefined : true,
});

type TextProps = FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'number' | 'password' | 'url';
  readonly required?: boolean;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string;
  readonly placeholder?: string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | 'any';
};

/** One line of text, a number as text, or a password. */
export function TextField({ label, hint, fault, value, onValue, type = 'text', ...rest }: TextProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // The attributes of each type differ in what the type checker knows of them, not here.
        type={type as 'text'}
        value={value}
        {...described(id, { hint, fault })}
        autocomplete="off"
        dir="auto"
        autocapitalize="none"
        spellcheck={false}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...rest}
      />
      <Hint id={`${id}-hint`} hint={hint} fault={fault} />
    </div>
  );
}

type AreaProps = FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly rows?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
};

/** Several lines of text. */
export function TextArea({ label, hint, fault, value, onValue, ...rest }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        dir="auto"
        value={value}
        {...described(id, { hint, fault })}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...rest}
      />
      <Hint id={`${id}-hint`} hint={hint} fault={fault} />
    </div>
  );
}

type SelectProps<Value extends string> = FieldProps & {
  readonly value: Value;
  /** Values and the words for them. */
  readonly options: ReadonlyArray<readonly [value: Value, words: string]>;
  readonly onValue: (value: Value) => void;
};

/** A choice of values. */
export function SelectField<Value extends string>({ label, hint, value, options, onValue }: SelectProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onValue(currentTarget.value as Value)}
      >
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} hint={hint} />
    </div>
  );
}

type CheckProps = FieldProps & { readonly value: boolean; readonly onValue: (value: boolean) => void };

/** A check box. */
export function CheckField({ label, hint, value, onValue }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Hint id={`${id}-hint`} hint={hint} />
    </div>
  );
}

/** A group of fields with a heading. */
export const FieldSet = ({ legend, children }: { legend: string; children: ComponentChildren }) => (
  <fieldset>
    <legend>{legend}</legend>
    {children}
  </fieldset>
);
