/** A picture for the receipt: chosen or dropped, shown as it will be printed, and put above the lines. */
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { type Dither, type Grey, PictureError, paperDots } from '../../../codecs/picture.ts';
import { rasterOf, readPicture } from '../../../codecs/picture-raster.ts';
import {
  Button,
  Drawing,
  FieldSet,
  faultOf,
  type PageNode,
  Said,
  SelectField,
  TextField,
} from '../../../runtime/page/kit.ts';
import type { Line } from '../contract.ts';
import { usePreview } from './preview.tsx';
import { say } from './say.tsx';

const DITHERS = [
  ['diffusion', say('diffusion')],
  ['threshold', say('threshold')],
] as const;

interface PictureFieldProps {
  readonly node: PageNode;
  /** Width that a picture may have, in columns. */
  readonly columns: number;
  /** Takes the line of the picture; undefined while there is nothing to put it above. */
  readonly onLine: ((line: Line) => void) | undefined;
}

/** The fields for a picture, with a drawing of what will be printed. */
export function PictureField({ node, columns, onLine }: PictureFieldProps) {
  const id = useId();
  const [picture, setPicture] = useState<{ readonly grey?: Grey; readonly fault?: string }>({});
  const [width, setWidth] = useState('');
  const [dither, setDither] = useState<Dither>('diffusion');
  const latest = useRef<File | undefined>(undefined);
  const dots = paperDots(columns);
  const choose = async (file: File | undefined) => {
    latest.current = file;
    setPicture({});
    if (file === undefined) return;
    const read = await readPicture(file).then(
      (grey) => ({ grey }),
      (error) => ({ fault: wordsOf(error) }),
    );
    // Another file was chosen while this one was read.
    if (latest.current !== file) return;
    setPicture(read);
    if ('grey' in read) setWidth(String(Math.min(read.grey.width, dots)));
  };
  const { grey } = picture;
  const made = useMemo(() => {
    if (grey === undefined || !(Number(width) >= 1 && Number(width) <= dots)) return undefined;
    try {
      const line: Line = { ...rasterOf(grey, { width: Math.floor(Number(width)), dither }), align: 'center' };
      return { lines: [line] as const };
    } catch (error) {
      return { fault: wordsOf(error) };
    }
  }, [grey, width, dither, columns, dots]);
  const { paper } = usePreview(node, made?.lines);
  const fault = picture.fault ?? made?.fault;
  return (
    <FieldSet legend={say('picture')}>
      <div class="field">
        <label for={id}>{say('pictureFile')}</label>
        <input
          id={id}
          class="drop"
          type="file"
          accept="image/png,image/jpeg"
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
      </div>
      <Said answer={fault === undefined ? undefined : { good: false, text: fault }} />
      {grey && (
        <>
          <div class="row">
            <TextField
              label={say('pictureWidth')}
              hint={say('pictureMost', { dots })}
              type="number"
              min={1}
              max={dots}
              value={width}
              onValue={setWidth}
            />
            <SelectField label={say('shades')} value={dither} options={DITHERS} onValue={setDither} />
          </div>
          {made?.lines && paper && (
            <div class="paper picture">
              <Drawing svg={paper.svg} label={say('pictureDrawing')} />
            </div>
          )}
          <Button
            disabled={onLine === undefined || made?.lines === undefined}
            onPress={async () => {
              if (made?.lines) onLine?.(made.lines[0]);
              return undefined;
            }}
          >
            {say('putAbove')}
          </Button>
        </>
      )}
    </FieldSet>
  );
}

/** Why no picture comes of it, in words of the page. */
const wordsOf = (error: unknown): string =>
  (error instanceof PictureError && say.find(`picture_${error.code}`)) || faultOf(error);
