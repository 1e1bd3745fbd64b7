import type { MessageBlock, MessageEvent, MessageUsage } from '@tollbook/models/messages/answer'
import { textOf } from '../messages/write-events.ts'
import { echoSettings } from './echo-settings.ts'
import type { ResponsesInput } from './request-fields.ts'
import { readTools } from './tools.ts'

/** An event of a stream, https://platform.openai.com/docs/api-reference/responses-streaming. */
export type ResponseEvent = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly sequence_number: number
}

/** An object of https://platform.openai.com/docs/api-reference/responses/object. */
export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly status: Status
  readonly model: string
  readonly output: Item[]
}

type Status = 'in_progress' | 'completed' | 'incomplete'
type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }
type Part = Readonly<Record<string, unknown>>

export type WriterOptions = {
  /** Letters and digits, for the ids of the response and its items. */
  readonly key: string
  /** The model name in the answer. */
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** The same for now, when the message has ended. */
  readonly completedAt: () => number
  readonly input: ResponsesInput
  /** The counts for the caller, from those of the upstream and the text of the answer. */
  readonly toUsage: (usage: MessageUsage | null, said: string) => Readonly<Record<string, unknown>>
}

/** A block of the message that has not ended; text gathers until then. */
type Open = { readonly kind: Kind; readonly item: Item; text: string }
type Kind = 'text' | 'reasoning' | 'summary' | 'function' | 'custom'

/** How the parts of an item are called in events. Calls of tools have no parts. */
const PARTS: Readonly<Partial<Record<Kind, { readonly index: object; readonly event: string }>>> = {
  text: { index: { content_index: 0 }, event: 'response.content_part' },
  reasoning: { index: { content_index: 0 }, event: 'response.content_part' },
  summary: { index: { summary_index: 0 }, event: 'response.reasoning_summary_part' },
}
const TEXTS: Readonly<Record<Kind, { readonly event: string; readonly name: string }>> = {
  text: { event: 'response.output_text', name: 'text' },
  reasoning: { event: 'response.reasoning_text', name: 'text' },
  summary: { event: 'response.reasoning_summary_text', name: 'text' },
  function: { event: 'response.function_call_arguments', name: 'arguments' },
  custom: { event: 'response.custom_tool_call_input', name: 'input' },
}

/** Builds a response from the events of a model's message, and writes the events of the dialect for each. */
export class ResponseWriter {
  readonly #options: WriterOptions
  readonly #tools: ReturnType<typeof readTools>
  readonly #output: Item[] = []
  #sequence = 0
  #open: Open | null = null
  /** The text of all blocks. */
  #text = ''
  #stopReason: string | null = null
  #usage: MessageUsage | null = null

  constructor(options: WriterOptions) {
    this.#options = options
    this.#tools = readTools(options.input)
  }

  /** The events before the first of the model. */
  start(): readonly ResponseEvent[] {
    return ['response.created', 'response.in_progress'].map((type) =>
      this.#event(type, { response: this.#build('in_progress') }),
    )
  }

  take(event: MessageEvent): readonly ResponseEvent[] {
    switch (event.type) {
      case 'content_block_start':
        return this.#openBlock(event.content_block)
      case 'content_block_delta':
        return this.#addText(event.delta)
      case 'content_block_stop':
        return this.#closeBlock()
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason
        this.#usage = event.usage ?? this.#usage
        return []
      case 'message_stop':
        return [this.#event(`response.${this.#status}`, { response: this.response() })]
      default:
        return []
    }
  }

  /** The response so far; whole after the message has ended. */
  response(): ResponseObject {
    return this.#build(this.#status)
  }

  get #status(): Status {
    return this.#stopReason !== null && this.#stopReason in INCOMPLETE ? 'incomplete' : 'completed'
  }

  #event(type: string, fields: object): ResponseEvent {
    return { type, sequence_number: this.#sequence++, ...fields }
  }

  #openBlock(block: MessageBlock): readonly ResponseEvent[] {
    const kind = this.#kindOf(block)
    const id = `${ID_PREFIXES[kind]}_${this.#options.key}_${this.#output.length}`
    const item = { id, ...toItem(kind, this.#nameBlock(block)) }
    this.#open = { kind, item, text: '' }
    const place = { output_index: this.#output.length }
    const added = { ...place, item: { ...item, ...NO_PARTS[kind] } }
    const events = [this.#event('response.output_item.added', added)]
    const part = PARTS[kind]
    if (part) {
      const fields = { item_id: item.id, ...place, ...part.index, part: toPart(kind, '') }
      events.push(this.#event(`${part.event}.added`, fields))
    }
    return events
  }

  #addText(delta: MessageBlock): readonly ResponseEvent[] {
    const text = textOf(delta)
    if (!this.#open || text === '') return []
    this.#open.text += text
    this.#text += text
    // The text is inside a JSON object that is not complete yet.
    return this.#open.kind === 'custom' ? [] : [this.#toDelta(this.#open, text)]
  }

  #toDelta({ kind, item }: Open, delta: string): ResponseEvent {
    const place = { item_id: item.id, output_index: this.#output.length, ...PARTS[kind]?.index }
    const fields = { ...place, delta, ...(kind === 'text' && { logprobs: [] }) }
    return this.#event(`${TEXTS[kind].event}.delta`, fields)
  }

  #closeBlock(): readonly ResponseEvent[] {
    if (!this.#open) return []
    const { kind, item, text: written } = this.#open
    const text = kind === 'custom' ? readInput(written) : written || (kind === 'function' ? '{}' : '')
    const place = { item_id: item.id, output_index: this.#output.length, ...PARTS[kind]?.index }
    const done = { ...item, ...contentOf(kind, text), ...(hasStatus(kind) && { status: 'completed' }) }
    const events = [
      ...(kind === 'custom' ? [this.#toDelta(this.#open, text)] : []),
      this.#event(`${TEXTS[kind].event}.done`, {
        ...place,
        [TEXTS[kind].name]: text,
        ...(kind === 'text' && { logprobs: [] }),
        ...(kind === 'function' && { name: item.name }),
      }),
      ...(PARTS[kind]
        ? [this.#event(`${PARTS[kind].event}.done`, { ...place, part: toPart(kind, text) })]
        : []),
      this.#event('response.output_item.done', { output_index: this.#output.length, item: done }),
    ]
    this.#output.push(done)
    this.#open = null
    return events
  }

  #build(status: Status): ResponseObject {
    const { key, createdAt, completedAt, model, toUsage, input } = this.#options
    const reason = status === 'incomplete' ? (INCOMPLETE[this.#stopReason ?? ''] ?? null) : null
    return {
      id: `resp_${key}`,
      object: 'response',
      created_at: createdAt,
      completed_at: status === 'completed' ? completedAt() : null,
      status,
      model,
      output: [...this.#output],
      error: null,
      incomplete_details: reason && { reason },
      usage: status === 'in_progress' ? null : toUsage(this.#usage, this.#text),
      ...echoSettings(input),
    }
  }

  /** A call of a tool under the name that the caller gave it. */
  #nameBlock(block: MessageBlock): MessageBlock {
    const known = block.type === 'tool_use' ? this.#tools.get(String(block.name)) : undefined
    if (!known) return block
    const { tool, namespace } = known
    return { ...block, name: tool.name, ...(namespace !== undefined && { namespace }) }
  }

  #kindOf(block: MessageBlock): Kind {
    if (block.type === 'tool_use') return this.#tools.get(String(block.name))?.tool.type ?? 'function'
    if (block.type === 'thinking') return this.#options.input.reasoning?.summary ? 'summary' : 'reasoning'
    return 'text'
  }
}

/** Why a message that stopped is not whole; any other reason completes it. */
const INCOMPLETE: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  refusal: 'content_filter',
}

const ID_PREFIXES: Readonly<Record<Kind, string>> = {
  text: 'msg',
  reasoning: 'rs',
  summary: 'rs',
  function: 'fc',
  custom: 'ctc',
}
const NO_PARTS: Readonly<Record<Kind, object>> = {
  text: { content: [] },
  reasoning: { content: [] },
  summary: { summary: [] },
  function: {},
  custom: {},
}

/** Reasoning has no status: SDKs send items back, and some servers refuse it. */
const hasStatus = (kind: Kind) => kind !== 'reasoning' && kind !== 'summary'

function toItem(kind: Kind, block: MessageBlock): Omit<Item, 'id'> & { readonly type: string } {
  const content = contentOf(kind, '')
  switch (kind) {
    case 'text':
      return { type: 'message', status: 'in_progress', role: 'assistant', ...content }
    case 'reasoning':
    case 'summary':
      return { type: 'reasoning', summary: [], ...content }
    default: {
      const { id, name, namespace } = block
      const type = kind === 'custom' ? 'custom_tool_call' : 'function_call'
      return {
        type,
        status: 'in_progress',
        call_id: id,
        name,
        ...(namespace !== undefined && { namespace }),
        ...content,
      }
    }
  }
}

function contentOf(kind: Kind, text: string): Readonly<Record<string, unknown>> {
  if (kind === 'function' || kind === 'custom') return { [TEXTS[kind].name]: text }
  return { [kind === 'summary' ? 'summary' : 'content']: [toPart(kind, text)] }
}

function toPart(kind: Kind, text: string): Part {
  if (kind === 'text') return { type: 'output_text', text, annotations: [], logprobs: [] }
  return { type: kind === 'summary' ? 'summary_text' : 'reasoning_text', text }
}

/** The text that a model gives a custom tool, inside the object of a function. */
function readInput(text: string): string {
  try {
    const { input } = JSON.parse(text) as { input?: unknown }
    return typeof input === 'string' ? input : text
  } catch {
    return text
  }
}
