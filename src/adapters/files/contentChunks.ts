// Cuts bytes where their content says so, so that an edit changes only the chunks it lies in, wherever it moves the rest.
// Source: gear hashing as in FastCDC (Xia et al., USENIX ATC 2016). The table decides what is shared with what was kept
// earlier, never whether it can be read: it should stay as it is.
import { createHash } from 'node:crypto';

const MIN_BYTES = 16 * 1024;
const MAX_BYTES = 256 * 1024;
/** 16 bits: a cut every 64 KiB on average, after the minimum. The high bits depend on the last 32 bytes. */
const CUT_MASK = 0xffff_0000;

/** Cuts one stream of bytes. */
export class ChunkCutter {
  private readonly gear = gearTable();
  private pending: Buffer[] = [];
  private length = 0;
  private rolling = 0;

  /** The chunks that end in this block; they are copies. */
  take(block: Buffer): readonly Buffer[] {
    const chunks: Buffer[] = [];
    let start = 0;
    for (let i = 0; i < block.length; i++) {
      this.length += 1;
      this.rolling = ((this.rolling << 1) + (this.gear[block[i] ?? 0] ?? 0)) | 0;
      const isCut = this.length >= MAX_BYTES || (this.length >= MIN_BYTES && (this.rolling & CUT_MASK) === 0);
      if (!isCut) continue;
      this.pending.push(Buffer.from(block.subarray(start, i + 1)));
      chunks.push(...this.end());
      start = i + 1;
    }
    if (start < block.length) this.pending.push(Buffer.from(block.subarray(start)));
    return chunks;
  }

  /** What is left: one chunk or none. The cutter is then as new. */
  end(): readonly Buffer[] {
    const chunk = Buffer.concat(this.pending);
    this.pending = [];
    this.length = 0;
    this.rolling = 0;
    return chunk.length === 0 ? [] : [chunk];
  }
}

function gearTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    createHash('sha256').update(`belay gear ${byte}`).digest().readInt32BE(0),
  );
}
