/** The recipe table: edited, checked, its versions, and back in one click. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Said, useAction } from '../../page/kit/action.tsx';
import { TextField } from '../../page/kit/fields.tsx';
import { Card, Table } from '../../page/kit/layout.tsx';
import type { RecipeVersion } from '../recipes/contract.ts';
import { Allowed } from './allowed.tsx';
import { ask, FleetError, useAsked } from './api.ts';
import { count, fullTime, Shown, Text } from './pieces.tsx';
import { say } from './say.ts';

interface Fault {
  readonly line: number;
  readonly row?: string;
  readonly field: string;
  readonly reason: string;
  /** Set where it is no fault, and refuses nothing. */
  readonly warns?: boolean;
}
interface Checked {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}
type Listed = Omit<RecipeVersion, 'text'>;

/** The table that nodes fetch. */
export function RecipesView() {
  const versions = useAsked<{ versions: readonly Listed[] }>('recipes/versions');
  const [shown, setShown] = useState<RecipeVersion>();
  const load = async (version?: number) =>
    setShown(await ask<RecipeVersion>('GET', version === undefined ? 'recipes' : `recipes/versions/${version}`));
  const first = useAsked<RecipeVersion>('recipes');
  const open = shown ?? first.data;
  const newest = versions.data?.versions[0]?.version ?? 0;
  return (
    <>
      <Shown asked={first}>
        {() =>
          open !== undefined && (
            <Editor
              key={open.version}
              version={open}
              newest={newest}
              onWritten={(written) => {
                setShown(written);
                void versions.reload();
              }}
            />
          )
        }
      </Shown>
      <Card title={say('versions')}>
        <Shown asked={versions}>
          {(data) => (
            <Table
              caption={say('versions')}
              head={[say('version'), say('time'), say('who'), say('note'), say('rows'), say('action')]}
              rows={data.versions.map((each) => ({
                key: each.version,
                cells: [
                  String(each.version),
                  fullTime(each.at),
                  <Text key="who">{each.who}</Text>,
                  <Text key="note">{each.note}</Text>,
                  count(each.rows),
                  <div key="do" class="row">
                    <Button
                      onPress={async () => {
                        await load(each.version);
                        return undefined;
                      }}
                    >
                      {say('show')}
                      <span class="unseen"> {each.version}</span>
                    </Button>
                    {each.version !== newest && (
                      <Allowed takes="releaser">
                        <Button
                          onPress={async () => {
                            setShown(await ask<RecipeVersion>('POST', `recipes/versions/${each.version}/restore`));
                            await versions.reload();
                            return undefined;
                          }}
                        >
                          {say('backTo')}
                          <span class="unseen"> {each.version}</span>
                        </Button>
                      </Allowed>
                    )}
                  </div>,
                ],
              }))}
              empty={say('noVersions')}
            />
          )}
        </Shown>
      </Card>
    </>
  );
}

interface EditorProps {
  readonly version: RecipeVersion;
  readonly newest: number;
  readonly onWritten: (written: RecipeVersion) => void;
}

function Editor({ version, newest, onWritten }: EditorProps) {
  const [text, setText] = useState(version.text);
  const [note, setNote] = useState('');
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const { busy, answer, run, forget } = useAction();
  const isChanged = text !== version.text;
  useEffect(() => {
    if (!isChanged) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [isChanged]);
  const check = async () => {
    const { faults: found, warnings } = await ask<Checked>('POST', 'recipes/check', { body: { text } });
    setFaults([...found, ...warnings.map((each) => ({ ...each, warns: true }))]);
    if (found.length > 0) throw new Error(say('faultsFound', { n: found.length }));
    return say('noFaults');
  };
  const save = async () => {
    try {
      const written = await ask<RecipeVersion>('PUT', 'recipes', { body: { text, note, base: version.version } });
      onWritten(written);
      return undefined;
    } catch (error) {
      const found = error instanceof FleetError ? error.more['faults'] : undefined;
      if (!Array.isArray(found)) throw error;
      setFaults(found);
      throw new Error(say('faultsFound', { n: found.length }));
    }
  };
  const goTo = (line: number) => {
    const lines = text.split('\n');
    const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  };
  return (
    <Card title={version.version === 0 ? say('table') : say('tableVersion', { n: version.version })}>
      {version.version < newest && <p class="warn">{say('notNewest', { n: newest })}</p>}
      <div class="field wide">
        <label for="table">{say('tableText')}</label>
        <textarea
          id="table"
          ref={area}
          class="mono"
          rows={20}
          wrap="off"
          dir="ltr"
          spellcheck={false}
          autocapitalize="none"
          value={text}
          aria-invalid={faults.some(({ warns }) => warns !== true)}
          aria-describedby="table-faults"
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setFaults([]);
            forget();
          }}
        />
      </div>
      <ul id="table-faults" class="faults">
        {faults.map((fault) => (
          <li key={`${fault.line} ${fault.field} ${fault.reason}`}>
            <button type="button" onClick={() => goTo(fault.line)}>
              {say('line', { n: fault.line })}
            </button>{' '}
            <span class={fault.warns === true ? 'warn' : 'bad'} dir="auto" translate={false}>
              {[fault.row, fault.field, fault.reason].filter(Boolean).join(' ')}
            </span>
          </li>
        ))}
      </ul>
      <TextField label={say('note')} hint={say('noteHint')} maxLength={200} value={note} onValue={setNote} />
      <div class="action">
        <button type="button" aria-disabled={busy} aria-busy={busy} onClick={() => void run(check)}>
          {say('check')}
        </button>
        <Allowed takes="releaser">
          <button type="button" class="main" aria-disabled={busy} aria-busy={busy} onClick={() => void run(save)}>
            {say('saveVersion')}
          </button>
        </Allowed>
        <Said answer={answer} />
      </div>
    </Card>
  );
}
