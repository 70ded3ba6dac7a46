/** The receipt editor: lines as rows of fields or as JSON, and the paper that they will make. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Fault } from '../../../runtime/page/editor/check.ts';
import { Editor } from '../../../runtime/page/editor/editor.tsx';
import { type JsonReading, type Mark, read } from '../../../runtime/page/editor/read.ts';
import type { Schema } from '../../../runtime/page/editor/schema.ts';
import { detailInWords } from '../../../runtime/page/kit/shape-faults.ts';
import { Button, Card, CheckField, Drawing, FieldSet, faultOf, type PageNode } from '../../../runtime/page/kit.ts';
import { type Line, PrintCommand } from '../contract.ts';
import { blankPictureIn } from '../layout/blank.ts';
import { PictureField } from './picture.tsx';
import { type DrawnPaper, isRefusal, usePreview } from './preview.tsx';
import { Rows } from './rows.tsx';
import { SAMPLES, textOfLines, withLineAbove } from './samples.ts';
import { say } from './say.tsx';
import { printLines } from './send.tsx';

const SCHEMA = PrintCommand.properties.lines as Schema;
const DRAFT = 'tillnode-receipt';
const AS_JSON = 'tillnode-receipt-json';
/** The node is not asked at each key. */
const PAUSE_MS = 150;

interface EditorCardProps {
  readonly node: PageNode;
  readonly endpoint: string;
  readonly printerColumns: number | undefined;
}

/** The receipt editor with its preview, for one endpoint. */
export function EditorCard({ node, endpoint, printerColumns }: EditorCardProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT) ?? SAMPLES[0]?.text ?? '[]');
  const write = (value: string) => {
    setText(value);
    sessionStorage.setItem(DRAFT, value);
  };
  const [asJson, setAsJson] = useState(() => sessionStorage.getItem(AS_JSON) === 'yes');
  const choose = (json: boolean) => {
    setAsJson(json);
    sessionStorage.setItem(AS_JSON, json ? 'yes' : 'no');
  };
  const columns = Number(node.config?.['printWidthCols']);
  const settled = useSettled(text);
  const reading = useMemo(() => read(settled, SCHEMA, 'lines'), [settled]);
  const lines = reading.marks.length > 0 ? undefined : (reading.value as readonly Line[]);
  const clearance = node.config?.['cutClearanceLines'];
  const { paper, fault, answered } = usePreview(node, lines, columns, clearance, printerColumns);
  const current = settled === text;
  const marks = current ? marksOf(reading, fault) : [];
  const mayPrintIt = current && answered && !isRefusal(fault);
  const printed = () => printLines(node, endpoint, reading.value as Line[]);
  return (
    <Card title={say('editor')}>
      <FieldSet legend={say('samples')}>
        <div class="row">
          {SAMPLES.map((sample) => (
            <Button
              key={sample.name}
              {...(SAMPLES.some((each) => each.text === text)
                ? {}
                : { confirm: say('replaceBy', { name: say(sample.name) }) })}
              onPress={async () => {
                write(sample.text);
                return undefined;
              }}
            >
              {say(sample.name)}
            </Button>
          ))}
        </div>
      </FieldSet>
      <PictureField
        node={node}
        columns={Math.min(columns, printerColumns ?? columns)}
        onLine={current && Array.isArray(reading.value) ? (line) => write(withLineAbove(text, line)) : undefined}
      />
      <div class="receipt">
        <div class="stack">
          <CheckField label={say('asJson')} value={asJson} onValue={choose} />
          <Lines asJson={asJson} text={text} onText={write} marks={marks} />
        </div>
        <section aria-label={say('preview')} class="stack">
          {!node.mayPrint && <p class="quiet">{say('needsKey')}</p>}
          {fault !== undefined && !isRefusal(fault) && <p class="warn">{faultOf(fault)}</p>}
          {lines === undefined || isRefusal(fault) ? (
            <p class="quiet">{say('nothingPrints')}</p>
          ) : (
            paper && <Shown paper={paper} columns={columns} blank={blankPictureIn(lines)} />
          )}
          {node.mayPrint && (
            <Button kind="main" disabled={!mayPrintIt} about={text} onPress={printed}>
              {say('printThis')}
            </Button>
          )}
        </section>
      </div>
    </Card>
  );
}

interface LinesProps {
  readonly asJson: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly marks: readonly Mark[];
}

/** As rows; as JSON where that was chosen, or where the text holds something that no row can show. */
function Lines({ asJson, text, onText, marks }: LinesProps) {
  const lines = useMemo(() => linesIn(text), [text]);
  if (asJson || lines === undefined) {
    return <Editor label={say('lines')} schema={SCHEMA} text={text} onText={onText} marks={marks} />;
  }
  return (
    <>
      <Rows lines={lines} onLines={(changed) => onText(textOfLines(changed))} />
      {marks.map(({ from, message }) => (
        <p key={`${from} ${message}`} class="bad" translate={false}>
          {message}
        </p>
      ))}
    </>
  );
}

/** A text or a number in a field that is not yet right: too long, too short, too large or too small, or not whole. */
const isBeingFilledIn = ({ path, shape: { name, places } }: Fault): boolean =>
  /^lines(\/\d+\/(cells\/\d+\/)?(value|lines))?$/.test(path) &&
  (/^(most|least)/.test(name) || places.type === 'integer');

/** The lines of a text; undefined where a fault is in it that could hide one. Empty texts and numbers are being filled in. */
function linesIn(text: string): readonly Line[] | undefined {
  const { value, marks } = read(text, SCHEMA, 'lines');
  return marks.every(({ fault }) => fault !== undefined && isBeingFilledIn(fault))
    ? (value as readonly Line[])
    : undefined;
}

interface ShownProps {
  readonly paper: DrawnPaper;
  readonly columns: number;
  /** The line of a picture that shows nothing; -1 where there is none. */
  readonly blank: number;
}

function Shown({ paper: { svg, text, substituted }, columns, blank }: ShownProps) {
  return (
    <>
      <p class="quiet">{say('willCome', { columns })}</p>
      {substituted > 0 && <p class="warn">{say('substituted', { n: substituted })}</p>}
      {blank >= 0 && <p class="warn">{say('blankPicture', { n: blank + 1 })}</p>}
      <div class="paper">
        <Drawing svg={svg} label={say('drawing')} />
      </div>
      <details>
        <summary>{say('asText')}</summary>
        <pre class="paper-text">{text}</pre>
      </details>
    </>
  );
}

/** Faults of the text, or why the node refuses to print it. */
function marksOf(reading: JsonReading, fault: unknown): readonly Mark[] {
  if (!isRefusal(fault)) return reading.marks;
  const { code, detail = '' } = fault;
  const [path = ''] = /^lines\/\d+/.exec(detail) ?? [];
  return [{ ...reading.place(path), message: path === '' ? `${code}: ${detail}` : detailInWords(detail) }];
}

/** The value once it has been the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
