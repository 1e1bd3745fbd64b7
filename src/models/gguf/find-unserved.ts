import * as z from 'zod'
import type { ChatRequest } from '../chat/chat-messages.ts'
import type { Unserved } from '../unserved.ts'
import { toGrammarSchema } from './to-schema.ts'

const NOT_SUPPORTED = 'is not supported by the model of this tier'

/** Fields of the API without a counterpart in llama.cpp here. */
const FIELDS = ['top_logprobs', 'reasoning_effort', 'verbosity', 'functions', 'function_call'] as const

const schemaFormat = z.object({
  type: z.literal('json_schema'),
  json_schema: z.object({ schema: z.unknown().optional() }),
})

/** Finds the parts of a request that a local model cannot serve: it supports text, tools and grammars. */
export function findUnserved(request: ChatRequest): readonly Unserved[] {
  const found: Unserved[] = FIELDS.filter((name) => isGiven(request[name])).map((parameter) => ({
    parameter,
    detail: NOT_SUPPORTED,
  }))
  if (request.logprobs === true) found.push({ parameter: 'logprobs', detail: NOT_SUPPORTED })
  const { tool_choice: choice, response_format: format, tools } = request
  if (isGiven(choice) && choice !== 'auto' && choice !== 'none')
    found.push({ parameter: 'tool_choice', detail: `${NOT_SUPPORTED}, except auto and none` })
  if (isConstraint(format) && Array.isArray(tools) && tools.length > 0 && choice !== 'none')
    found.push({ parameter: 'response_format', detail: `${NOT_SUPPORTED} together with tools` })
  return [...found, ...findSchemaFaults(format), ...findPartFaults(request)]
}

function findSchemaFaults(format: unknown): readonly Unserved[] {
  const read = schemaFormat.safeParse(format)
  if (!read.success) return []
  const { schema } = read.data.json_schema
  const parameter = 'response_format.json_schema.schema'
  if (schema === undefined) return [{ parameter, detail: 'is required by the model of this tier' }]
  const made = toGrammarSchema(schema)
  if (!('unknownWord' in made)) return []
  return [{ parameter, detail: `must not use ${made.unknownWord} with the model of this tier` }]
}

function findPartFaults({ messages }: ChatRequest): readonly Unserved[] {
  return messages.flatMap(({ content }, at) =>
    (Array.isArray(content) ? content : []).flatMap((part: { readonly type?: unknown }, index) =>
      part.type === 'text' || part.type === 'refusal'
        ? []
        : [
            {
              parameter: `messages.${at}.content.${index}`,
              detail: 'must be text: this model accepts nothing else',
            },
          ],
    ),
  )
}

function isConstraint(format: unknown): boolean {
  return typeof format === 'object' && format !== null && 'type' in format && format.type !== 'text'
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
