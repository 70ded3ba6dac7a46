/** The lines of a receipt as rows of fields, each of which can be moved or left out, and buttons for further ones. */
import type { ComponentChildren } from 'preact';
import { CheckField, FieldSet, SelectField, TextField } from '../../../runtime/page/kit.ts';
import { BarcodeLine, type Line } from '../contract.ts';
import { say } from './say.tsx';

type Type = Line['type'];
type Of<T extends Type> = Extract<Line, { type: T }>;
type Symbology = Of<'barcode'>['symbology'];

/** What a button puts below the lines. A picture comes from a file. */
const NEW = {
  text: { type: 'text', value: '' },
  columns: { type: 'columns', cells: [{ value: '' }, { value: '', align: 'right' }] },
  rule: { type: 'rule' },
  barcode: { type: 'barcode', symbology: 'qr', value: '', align: 'center' },
  feed: { type: 'feed', lines: 1 },
  cut: { type: 'cut' },
} as const satisfies { readonly [T in Type]?: Of<T> };

const ALIGNMENTS = (['left', 'center', 'right'] as const).map((each) => [each, say(`align_${each}`)] as const);
const SYMBOLOGIES = BarcodeLine.properties.symbology.anyOf.map(({ const: name }) => [name, name] as const);
const SIZES = ['1x', '2x', '3x', '4x'];

interface FieldsProps<T extends Type> {
  readonly line: Of<T>;
  readonly onLine: (line: Line) => void;
}

function TextFields({ line, onLine }: FieldsProps<'text'>) {
  const { size = '1x' } = line;
  const sizes = SIZES.includes(size) ? SIZES : [...SIZES, size];
  return (
    <>
      <TextField label={say('line_text')} value={line.value} onValue={(value) => onLine({ ...line, value })} />
      <Alignment line={line} onLine={onLine} />
      <SelectField
        label={say('size')}
        value={size}
        options={sizes.map((each) => [each, each.replace('x', '×')] as const)}
        onValue={(chosen) => onLine({ ...line, size: chosen })}
      />
      <CheckField label={say('bold')} value={line.bold === true} onValue={(bold) => onLine({ ...line, bold })} />
    </>
  );
}

/** A field for each column; its width and place stay. */
const ColumnsFields = ({ line, onLine }: FieldsProps<'columns'>) => (
  <>
    {line.cells.map((cell, at) => (
      <TextField
        key={at}
        label={say('column', { n: at + 1 })}
        value={cell.value}
        onValue={(value) =>
          onLine({ ...line, cells: line.cells.map((each, other) => (other === at ? { ...each, value } : each)) })
        }
      />
    ))}
  </>
);

const BarcodeFields = ({ line, onLine }: FieldsProps<'barcode'>) => (
  <>
    <SelectField<Symbology>
      label={say('kindOfCode')}
      value={line.symbology}
      options={SYMBOLOGIES}
      onValue={(symbology) => onLine({ ...line, symbology })}
    />
    <TextField label={say('content')} value={line.value} onValue={(value) => onLine({ ...line, value })} />
    <Alignment line={line} onLine={onLine} />
  </>
);

const Alignment = ({ line, onLine }: FieldsProps<'text' | 'banner' | 'barcode' | 'raster'>) => (
  <SelectField
    label={say('alignment')}
    value={line.align ?? 'left'}
    options={ALIGNMENTS}
    onValue={(align) => onLine({ ...line, align })}
  />
);

/** The fields of a line; none where there is nothing to fill in. */
function fieldsOf(line: Line, onLine: (line: Line) => void): ComponentChildren {
  switch (line.type) {
    case 'text':
      return <TextFields line={line} onLine={onLine} />;
    case 'banner':
      return (
        <>
          <TextField label={say('line_banner')} value={line.value} onValue={(value) => onLine({ ...line, value })} />
          <Alignment line={line} onLine={onLine} />
        </>
      );
    case 'columns':
      return <ColumnsFields line={line} onLine={onLine} />;
    case 'barcode':
      return <BarcodeFields line={line} onLine={onLine} />;
    case 'feed':
      return (
        <TextField
          label={say('emptyLines')}
          type="number"
          min={1}
          max={255}
          value={String(line.lines ?? 1)}
          onValue={(lines) => onLine({ ...line, lines: Number(lines) })}
        />
      );
    case 'raster':
      return <Alignment line={line} onLine={onLine} />;
    default:
      return null;
  }
}

interface RowsProps {
  readonly lines: readonly Line[];
  readonly onLines: (lines: readonly Line[]) => void;
}

/** The rows, and the buttons that add to them. A new line goes above the cut that ends the receipt. */
export function Rows({ lines, onLines }: RowsProps) {
  const add = (line: Line) => {
    const end = line.type !== 'cut' && lines.at(-1)?.type === 'cut' ? lines.length - 1 : lines.length;
    onLines(lines.toSpliced(end, 0, line));
  };
  return (
    <div class="stack">
      <ol class="rows" aria-label={say('lines')}>
        {lines.map((line, at) => {
          const name = say('lineNumber', { n: at + 1, kind: say(`line_${line.type}`) });
          return (
            <li key={at}>
              <FieldSet legend={name}>
                <div class="row">
                  {fieldsOf(line, (changed) => onLines(lines.with(at, changed)))}
                  <button
                    type="button"
                    disabled={at === 0}
                    aria-label={say('moveUp', { line: name })}
                    onClick={() => onLines(lines.with(at - 1, line).with(at, lines[at - 1] ?? line))}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    aria-label={say('leaveOut', { line: name })}
                    onClick={() => onLines(lines.toSpliced(at, 1))}
                  >
                    ✕
                  </button>
                </div>
              </FieldSet>
            </li>
          );
        })}
      </ol>
      <FieldSet legend={say('addLine')}>
        <div class="row">
          {Object.values(NEW).map((line) => (
            <button key={line.type} type="button" onClick={() => add(line)}>
              {say(`line_${line.type}`)}
            </button>
          ))}
        </div>
      </FieldSet>
    </div>
  );
}
