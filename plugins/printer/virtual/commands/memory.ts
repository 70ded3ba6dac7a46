/** The NV user memory: FS g (Epson TM-T88III command manual), and the records of GS ( C (TM-T88VI). */
import { USER_BYTES, without } from '../state/memory.ts';
import {
  type CommandEntry,
  digit,
  FS,
  type Mechanism,
  u16,
  u32,
  type VirtualCommand,
  withoutFunction,
} from './command.ts';

/** Bytes that one FS g 2 reads (TM-T88III manual). */
const MOST_READ = 80;
/** Bytes of all records. */
const RECORD_BYTES = 65_536;

const userMemory: VirtualCommand = {
  size: (head) => (head.length < 3 || head[2] === 0x31 || head[2] === 0x32 ? 10 : withoutFunction(head)),
  payload: (head) => (head[2] === 0x31 ? u16(head, 8) : 0),
  run: (on, head, payload) => {
    if (head.length < 10) return false;
    const [at, count] = [u32(head, 4), u16(head, 8)];
    if (at + count > USER_BYTES || count === 0) return false;
    const { user } = on.nonVolatile;
    if (head[2] === 0x31) {
      const written = user.slice();
      written.set(payload, at);
      on.nonVolatile = { ...on.nonVolatile, user: written };
    } else if (head[2] === 0x32 && count <= MOST_READ) on.effects?.answer(0x5f, ...user.subarray(at, at + count), 0);
    else return false;
    return true;
  },
};

/** GS ( C m fn b ...: functions 0 (delete), 1 (store) and 6 (delete all). The others answer, and are not had. */
export const recordCommand = (on: Mechanism, [, fn = -1, , c1 = 0, c2 = 0, ...data]: Uint8Array): unknown => {
  const { records } = on.nonVolatile;
  const key = String.fromCharCode(c1, c2);
  const keep = (next: typeof records) => {
    on.nonVolatile = { ...on.nonVolatile, records: next };
  };
  switch (digit(fn)) {
    case 0:
      return keep(without(records, key));
    case 1: {
      const next = new Map(records).set(key, Uint8Array.from(data));
      const size = [...next.values()].reduce((sum, { length }) => sum + length + 16, 0);
      return size <= RECORD_BYTES ? keep(next) : false;
    }
    case 6:
      return String.fromCharCode(c1, c2, ...data.slice(0, 1)) === 'CLR' ? keep(new Map()) : false;
    default:
      return false;
  }
};

export const memory: readonly CommandEntry[] = [[FS, 'g', userMemory]];
