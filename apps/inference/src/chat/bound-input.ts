import { setImmediate } from 'node:timers/promises'
import { isRecord } from '@tollbook/flow/is-record'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import type { Metering } from '@tollbook/models/tiers/metering'
import type { TokenCounter } from '@tollbook/models/token-count'
import type { ChatInput } from './request-fields.ts'

/** What models read besides the texts: role markers, their own system prompt, an instruction for tools or a schema. */
const CONVERSATION_TOKENS = 256
const MESSAGE_TOKENS = 16
const INSTRUCTION_TOKENS = 1_024

/** The parts of a request that a model reads. */
type Reading = {
  /** Contents of messages, and their other members as JSON. */
  readonly texts: readonly string[]
  readonly images: number
  /** Tools and schemas as JSON; null if there are none. */
  readonly schemas: string | null
}

/** Chosen: English prose has four to five bytes a token, and blanks or dashes over a hundred in o200k alone. */
const MAX_BYTES_PER_TOKEN = 6
/** In UTF-16 code units: counting one blocks the event loop for some 25 ms at most. */
const SLICE_LENGTH = 8_192

/**
 * The max number of tokens of a request by any tokenizer: a token of a byte pair encoding is at least one byte of
 * UTF-8.
 */
export function boundInputTokens(input: ChatInput, { imageTokens }: Pick<Metering, 'imageTokens'>): number {
  const { text, fixed } = sizeInput(input, imageTokens)
  return Buffer.byteLength(text) + fixed
}

/** The text that a model reads, and its number of further tokens. */
function sizeInput(input: ChatInput, imageTokens: number): { readonly text: string; readonly fixed: number } {
  const { texts, images, schemas } = readInput(input)
  const fixed = CONVERSATION_TOKENS + MESSAGE_TOKENS * input.messages.length + imageTokens * images
  if (schemas === null) return { text: texts.join(''), fixed }
  // Templates escape non-ASCII letters of tools, as six letters each.
  const spelled = schemas.replaceAll(/[\u0080-\uffff]/g, '\\u0000')
  return { text: [...texts, spelled].join(''), fixed: fixed + INSTRUCTION_TOKENS }
}

/**
 * Refuses a metered call whose tokens, counted with o200k, exceed the operator's cap. It runs after the signature is checked,
 * because counting takes up to a second of processor time; in slices, so that other calls go on.
 * @throws ProblemError `invalid_request`; nothing is charged.
 */
export async function admitInput(
  input: ChatInput,
  { metering, countTokens }: { readonly metering: Metering | null; readonly countTokens: TokenCounter },
): Promise<void> {
  if (!metering || metering.inputTokens === null) return
  const { inputTokens, imageTokens } = metering
  if (boundInputTokens(input, metering) <= inputTokens) return
  const { text, fixed } = sizeInput(input, imageTokens)
  let count = fixed
  for (let at = 0; at < text.length && count <= inputTokens; at += SLICE_LENGTH) {
    count += countTokens(text.slice(at, at + SLICE_LENGTH))
    await setImmediate()
  }
  if (count <= inputTokens) return
  const detail = `must be at most ${inputTokens} tokens, counted with o200k, each image as ${imageTokens}`
  const issues = [{ parameter: 'messages', detail }]
  throw new ProblemError({ code: 'invalid_request', detail: `messages ${detail}.`, issues })
}

/** An estimate of a request's tokens, for an upstream that does not report them. */
export function estimateInputTokens(
  input: ChatInput,
  { imageTokens }: Pick<Metering, 'imageTokens'>,
  countTokens: TokenCounter,
): number {
  const { texts, images, schemas } = readInput(input)
  return countTokens([...texts, schemas ?? ''].join('\n')) + imageTokens * images
}

/** Why a request cannot be metered before it runs. */
export function findBoundIssues(input: ChatInput, metering: Metering): Issue[] {
  const files = input.messages.flatMap(({ content }, at) =>
    Array.isArray(content)
      ? content.flatMap((part, index) => (part?.type === 'file' ? `messages.${at}.content.${index}` : []))
      : [],
  )
  if (files.length > 0) {
    const detail = 'must not contain a file: its number of tokens is unknown before the call'
    return files.map((parameter) => ({ parameter, detail }))
  }
  if (metering.inputTokens === null) return []
  const { text, fixed } = sizeInput(input, metering.imageTokens)
  const min = fixed + Math.ceil(Buffer.byteLength(text) / MAX_BYTES_PER_TOKEN)
  if (min <= metering.inputTokens) return []
  const detail = `must be at most ${metering.inputTokens} tokens, but counts as ${min} or more (a token is at most ${MAX_BYTES_PER_TOKEN} bytes, an image ${metering.imageTokens} tokens)`
  return [{ parameter: 'messages', detail }]
}

function readInput({ messages, tools, response_format, functions }: Readable): Reading {
  const texts: string[] = []
  let images = 0
  for (const { content, ...rest } of messages) {
    texts.push(JSON.stringify(rest))
    if (!Array.isArray(content)) texts.push(typeof content === 'string' ? content : '')
    else
      for (const part of content) {
        if (part?.type === 'image_url') images += 1
        else if (typeof part?.text === 'string') texts.push(part.text)
        else texts.push(JSON.stringify(part))
      }
  }
  const provided = [tools, functions, response_format].filter(
    (schema) => Array.isArray(schema) || isRecord(schema),
  )
  // Templates indent it; at any depth, white space is at most two tokens: a line break and one run of blanks.
  const schemas =
    provided.length === 0 ? null : provided.map((schema) => JSON.stringify(schema, null, 1)).join('\n')
  return { texts, images, schemas }
}

/** Includes the older name of `tools`, which is not declared. */
type Readable = ChatInput & { readonly functions?: unknown }
