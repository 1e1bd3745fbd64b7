import type { Fault } from '../../http/problem.ts'
import type { TokenCounter } from '../../models/token-count.ts'
import { isRecord } from './messages.ts'
import type { Metering } from './metering.ts'
import type { ChatInput } from './request-fields.ts'

/**
 * What models read besides the texts: role markers, their own system prompt, an instruction for tools or a
 * schema.
 */
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

/**
 * The max number of tokens of a request. A token of a byte pair encoding is at least one byte of UTF-8, so
 * the bytes bound the tokens; counting the tokens would let an attacker use much processor time.
 */
export function boundInputTokens(input: ChatInput, { imageTokens }: Metering): number {
  const { texts, images, schemas } = readInput(input)
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const fixed = CONVERSATION_TOKENS + MESSAGE_TOKENS * input.messages.length + imageTokens * images
  if (schemas === null) return bytes + fixed
  // Templates escape non-ASCII letters of tools, as six letters each.
  const spelled = schemas.replaceAll(/[\u0080-\uffff]/g, '\\u0000').length
  return bytes + fixed + INSTRUCTION_TOKENS + spelled
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
export function findBoundFaults(input: ChatInput, metering: Metering): Fault[] {
  const files = input.messages.flatMap(({ content }, at) =>
    Array.isArray(content)
      ? content.flatMap((part, index) => (part?.type === 'file' ? `messages.${at}.content.${index}` : []))
      : [],
  )
  if (files.length > 0) {
    const detail = 'must not contain a file: its number of tokens is unknown before the call'
    return files.map((parameter) => ({ parameter, detail }))
  }
  const bound = boundInputTokens(input, metering)
  if (bound <= metering.inputTokens) return []
  const detail = `must be at most ${metering.inputTokens} tokens, but may be ${bound} (before the call, each byte counts as one token, each image as ${metering.imageTokens})`
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
