/** Kinds of values of GGUF, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
const U32 = 4
const I32 = 5
const F32 = 6
const BOOL = 7
const TEXT = 8
const LIST = 9
/** Kinds of tensors. */
const TENSOR_F32 = 0
const TENSOR_F16 = 1
/** Each tensor's bytes begin at a multiple of this. */
const ALIGNMENT = 32
/** 1.0 as a 16-bit float, and 2.0. */
const ONE_F16 = 0x3c00
const TWO_F16 = 0x4000
/** Of a head; its width must be even for the rotation of positions. */
const HEAD = 32

const START = '<|im_start|>'
export const END = '<|im_end|>'
/** ChatML, as `tokenizer.chat_template` of real models has it. */
const TEMPLATE = `{% for message in messages %}{{ '${START}' + message['role'] + '\\n' + message['content'] + '${END}' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '${START}assistant\\n' }}{% endif %}`

type Tensor = { readonly name: string; readonly shape: readonly number[]; readonly bytes: Uint8Array }

/**
 * A language model of one layer that says what it is told to: a llama whose attention and feed-forward add nothing,
 * whose embeddings are one-hot, and whose output matrix is a table of which token follows which. It holds every byte
 * as a token, and the tokens of the scripts whole.
 * @param scripts tokens in the order in which they follow each other; one that no script names is followed by END.
 * A prompt ends with `\n`, so that what follows `\n` begins the answer.
 * @param contextTokens that it says it was made for
 */
export function buildScriptedGguf(
  scripts: readonly (readonly string[])[],
  contextTokens = 32_768,
): Uint8Array {
  const bytes = Array.from({ length: 256 }, (_, byte) => toByteSymbol(byte))
  const words = scripts.flat().map(toSymbols)
  const tokens = [...new Set([...bytes, START, END, ...words])]
  while (tokens.length % HEAD !== 0) tokens.push(`<|unused_${tokens.length}|>`)
  const size = tokens.length
  const at = new Map(tokens.map((token, index) => [token, index]))
  const follows = new Map<number, number>()
  for (const script of scripts)
    for (const [index, token] of script.entries()) {
      const next = script[index + 1]
      if (next !== undefined) follows.set(at.get(toSymbols(token)) ?? 0, at.get(toSymbols(next)) ?? 0)
    }
  const end = at.get(END) ?? 0
  const tensors: readonly Tensor[] = [
    matrix('token_embd.weight', size, size, (row) => [row, ONE_F16]),
    table('output.weight', size, (token) => follows.get(token) ?? end),
    ones('output_norm.weight', size),
    ones('blk.0.attn_norm.weight', size),
    ones('blk.0.ffn_norm.weight', size),
    matrix('blk.0.attn_q.weight', size, size),
    matrix('blk.0.attn_k.weight', size, HEAD),
    matrix('blk.0.attn_v.weight', size, HEAD),
    matrix('blk.0.attn_output.weight', size, size),
    matrix('blk.0.ffn_gate.weight', size, HEAD),
    matrix('blk.0.ffn_up.weight', size, HEAD),
    matrix('blk.0.ffn_down.weight', HEAD, size),
  ]
  const isControl = (token: string) => token.startsWith('<|')
  const entries: readonly (readonly [name: string, value: Buffer])[] = [
    ['general.architecture', text('llama')],
    ['general.name', text('scripted')],
    ['llama.context_length', u32(contextTokens)],
    ['llama.embedding_length', u32(size)],
    ['llama.block_count', u32(1)],
    ['llama.feed_forward_length', u32(HEAD)],
    ['llama.attention.head_count', u32(size / HEAD)],
    ['llama.attention.head_count_kv', u32(1)],
    ['llama.attention.layer_norm_rms_epsilon', Buffer.concat([kind(F32), f32(1e-6)])],
    ['llama.rope.dimension_count', u32(HEAD)],
    // 1: the vector of a text is the mean of those of its tokens.
    ['llama.pooling_type', u32(1)],
    ['llama.vocab_size', u32(size)],
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text('gpt-2')],
    ['tokenizer.ggml.tokens', list(TEXT, tokens.map(string))],
    // Of whole tokens 3 are control tokens and 1 are text.
    [
      'tokenizer.ggml.token_type',
      list(
        I32,
        tokens.map((token) => i32(isControl(token) ? 3 : 1)),
      ),
    ],
    ['tokenizer.ggml.merges', list(TEXT, [])],
    ['tokenizer.ggml.bos_token_id', u32(at.get(START) ?? 0)],
    ['tokenizer.ggml.eos_token_id', u32(end)],
    ['tokenizer.ggml.add_bos_token', Buffer.concat([kind(BOOL), Buffer.from([0])])],
    ['tokenizer.chat_template', text(TEMPLATE)],
  ]
  let offset = 0
  const infos = tensors.map(({ name, shape, bytes: { byteLength } }) => {
    const info = [string(name), i32(shape.length), ...shape.map(u64), i32(typeOf(shape)), u64(offset)]
    offset += pad(byteLength)
    return Buffer.concat(info)
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    i32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([name, value]) => [string(name), value]),
    ...infos,
  ])
  const body = tensors.flatMap(({ bytes: data }) => [
    data,
    Buffer.alloc(pad(data.byteLength) - data.byteLength),
  ])
  return Buffer.concat([head, Buffer.alloc(pad(head.length) - head.length), ...body])
}

/** A matrix of 16-bit floats: zeros but for one place in each row, where `hot` names one. */
function matrix(
  name: string,
  columns: number,
  rows: number,
  hot?: (row: number) => readonly [column: number, value: number],
): Tensor {
  const bytes = Buffer.alloc(columns * rows * 2)
  for (let row = 0; hot && row < rows; row += 1) {
    const [column, value] = hot(row)
    bytes.writeUInt16LE(value, (row * columns + column) * 2)
  }
  return { name, shape: [columns, rows], bytes }
}

/** The matrix that makes the likeliest token of the one before: a row for each that may follow. */
function table(name: string, size: number, next: (token: number) => number): Tensor {
  const bytes = Buffer.alloc(size * size * 2)
  for (let token = 0; token < size; token += 1) bytes.writeUInt16LE(TWO_F16, (next(token) * size + token) * 2)
  return { name, shape: [size, size], bytes }
}

function ones(name: string, size: number): Tensor {
  return { name, shape: [size], bytes: new Uint8Array(new Float32Array(size).fill(1).buffer) }
}

/** Norms are whole floats, matrices half of one. */
function typeOf(shape: readonly number[]): number {
  return shape.length === 1 ? TENSOR_F32 : TENSOR_F16
}

/** The letters that GPT-2 writes bytes as (openai/gpt-2, src/encoder.py, bytes_to_unicode). */
function toByteSymbol(byte: number): string {
  const isShown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  if (isShown) return String.fromCharCode(byte)
  const hidden = byte <= 32 ? byte : byte <= 160 ? byte - 127 + 33 : 67
  return String.fromCharCode(256 + hidden)
}

function toSymbols(token: string): string {
  return token.startsWith('<|') ? token : [...Buffer.from(token)].map(toByteSymbol).join('')
}

function pad(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

const kind = i32
const u32 = (value: number) => Buffer.concat([kind(U32), i32(value)])
const text = (value: string) => Buffer.concat([kind(TEXT), string(value)])
const list = (of: number, items: readonly Buffer[]) =>
  Buffer.concat([kind(LIST), i32(of), u64(items.length), ...items])

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}
