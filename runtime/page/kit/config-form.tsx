/** Settings as a form, by their schema: bounds and choices stand in the contracts alone. */
import { useState } from 'preact/hooks';
import { NodeError } from '../../client/client.ts';
import { Form } from './action.tsx';
import { CheckField, FieldSet, SelectField, TextArea, TextField } from './fields.tsx';
import { Facts, ReadOnly } from './layout.tsx';
import type { PageNode } from './panel.ts';
import { say } from './say.ts';
import { shapeTold } from './shape-faults.ts';

/** What is used of JSON Schema. */
interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly (Schema & { readonly const?: unknown })[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
}

export interface Setting {
  readonly key: string;
  readonly schema: Schema;
  readonly label: string;
  readonly hint?: string;
  /** For choices that do not speak for themselves. */
  readonly words?: Readonly<Record<string, string>>;
  /** Write only: the node tells `<key>Set` and no more. */
  readonly secret?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

interface SettingsFormProps {
  readonly settings: readonly Setting[];
  /** As the node has them. */
  readonly values: Values;
  readonly maySave: boolean;
  /** Gets what was changed and nothing else. */
  readonly onSave: (patch: Values) => Promise<unknown>;
}

/** Above `open` it shows the values and offers nothing. */
export function SettingsForm({ settings, values, maySave, onSave }: SettingsFormProps) {
  const [draft, setDraft] = useState<Values>({});
  const [wrong, setWrong] = useState<ReturnType<typeof shapeTold>>();
  if (!maySave) {
    return (
      <>
        <Facts rows={settings.map((setting) => [setting.label, inWords(values, setting)])} />
        <ReadOnly />
      </>
    );
  }
  const save = async () => {
    const patch = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
    if (Object.keys(patch).length === 0) return say('unchanged');
    try {
      await onSave(patch);
    } catch (error) {
      setWrong(error instanceof NodeError ? shapeTold(error.detail) : undefined);
      throw error;
    }
    setDraft({});
    return say('saved');
  };
  return (
    <Form submit={say('save')} onSubmit={save}>
      {settings.map((setting) => {
        const onValue = (value: unknown) => {
          setWrong(undefined);
          setDraft((before) => ({ ...before, [setting.key]: value }));
        };
        const value = draft[setting.key];
        const fault = wrong?.path.split('/').includes(setting.key) ? wrong.words : undefined;
        return setting.secret ? (
          <SecretControl
            key={setting.key}
            setting={setting}
            value={value}
            isSet={values[`${setting.key}Set`] === true}
            onValue={onValue}
            fault={fault}
          />
        ) : (
          <Control
            key={setting.key}
            setting={setting}
            value={value ?? values[setting.key]}
            onValue={onValue}
            fault={fault}
          />
        );
      })}
    </Form>
  );
}

interface ConfigFormProps {
  readonly node: PageNode;
  /** The key whose value holds the settings; without it they are keys of the configuration themselves. */
  readonly at?: string;
  readonly settings: readonly Setting[];
}

/** Settings of PUT /config. */
export function ConfigForm({ node, at, settings }: ConfigFormProps) {
  const { config } = node;
  if (config === undefined) return null;
  return (
    <SettingsForm
      settings={settings}
      values={(at === undefined ? config : config[at]) as Values}
      maySave={node.maySave}
      onSave={async (patch) => {
        await node.client.configure(at === undefined ? patch : { [at]: patch });
        await node.refresh();
      }}
    />
  );
}

interface ControlProps {
  readonly setting: Setting;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly fault: string | undefined;
}

const isConstant = (schema: Schema & { readonly const?: unknown }) => schema.const !== undefined;

const choicesOf = ({ anyOf }: Schema): readonly unknown[] | undefined =>
  anyOf?.every(isConstant) ? anyOf.map((choice) => choice.const) : undefined;

/** What a value that may be null is otherwise. */
const notNull = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

function Control({ setting, value, onValue, fault }: ControlProps) {
  const { label, hint, words } = setting;
  const choices = choicesOf(setting.schema);
  if (choices !== undefined) {
    return (
      <SelectField
        label={label}
        hint={hint}
        value={String(value)}
        options={choices.map((choice) => [String(choice), words?.[String(choice)] ?? String(choice)])}
        onValue={(chosen) => onValue(choices.find((choice) => String(choice) === chosen))}
      />
    );
  }
  const schema = notNull(setting.schema);
  const mayBeNull = schema !== setting.schema;
  switch (schema.type) {
    case 'boolean':
      return <CheckField label={label} hint={hint} value={value === true} onValue={onValue} />;
    case 'integer':
      return (
        <TextField
          label={label}
          hint={[say('range', { least: schema.minimum ?? '', most: schema.maximum ?? '' }), hint]
            .filter(Boolean)
            .join('; ')}
          fault={fault}
          type="number"
          required={!mayBeNull}
          step={1}
          min={schema.minimum}
          max={schema.maximum}
          value={String(value ?? '')}
          onValue={(text) => onValue(text === '' ? (mayBeNull ? null : '') : Number(text))}
        />
      );
    case 'array':
      return <ListControl setting={setting} value={value as readonly string[]} onValue={onValue} fault={fault} />;
    default:
      return (
        <TextField
          label={label}
          hint={hint}
          fault={fault}
          maxLength={schema.maxLength}
          value={String(value ?? '')}
          onValue={onValue}
        />
      );
  }
}

/** An empty field keeps what is stored; only the box takes it away. */
function SecretControl({ setting, value, isSet, onValue, fault }: ControlProps & { readonly isSet: boolean }) {
  const { label, hint } = setting;
  return (
    <>
      <TextField
        label={label}
        hint={[isSet ? say('secretStored') : say('secretNone'), hint].filter(Boolean).join('; ')}
        fault={fault}
        type="password"
        value={String(value ?? '')}
        onValue={(text) => onValue(text === '' ? undefined : text)}
      />
      {isSet && (
        <CheckField
          label={say('removeSecret', { label })}
          value={value === ''}
          onValue={(remove) => onValue(remove ? '' : undefined)}
        />
      )}
    </>
  );
}

/** Any of some choices as boxes to tick, free text one a line. */
function ListControl({ setting, value, onValue, fault }: ControlProps & { readonly value: readonly string[] }) {
  const { schema, label, hint, words } = setting;
  const choices = schema.items && choicesOf(schema.items);
  if (choices === undefined) {
    return (
      <TextArea
        label={label}
        hint={hint}
        fault={fault}
        value={value.join('\n')}
        onValue={(text) => onValue(text === '' ? [] : text.split('\n').map((line) => line.trim()))}
      />
    );
  }
  return (
    <FieldSet legend={label}>
      {hint && <p class="quiet">{hint}</p>}
      {fault && <p class="bad">{fault}</p>}
      <div class="choices">
        {choices.map(String).map((choice) => (
          <CheckField
            key={choice}
            label={words?.[choice] ?? choice}
            value={value.includes(choice)}
            onValue={(on) => onValue(on ? [...value, choice] : value.filter((each) => each !== choice))}
          />
        ))}
      </div>
    </FieldSet>
  );
}

function inWords(values: Values, { key, words, secret }: Setting): string {
  if (secret) return say(values[`${key}Set`] === true ? 'stored' : 'none');
  const value = values[key];
  if (Array.isArray(value))
    return value.length === 0 ? say('none') : value.map((each) => words?.[each] ?? each).join(', ');
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  return words?.[String(value)] ?? String(value ?? '–');
}
