import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { ChatInput } from '../chat/request-fields.ts'
import { toNestedIssues } from '../schema-issues.ts'
import type { ResponsesInput } from './request-fields.ts'

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
})
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string().nullish(),
})
const namespaceTool = z.looseObject({
  type: z.literal('namespace'),
  name: z.string(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
})
/** Tools that the caller runs; a hosted tool is not offered. */
const anyTool = z.discriminatedUnion('type', [functionTool, customTool, namespaceTool], {
  error: 'must be function, custom or namespace: the service runs no tools',
})

export type Tool = z.output<typeof functionTool> | z.output<typeof customTool>
/** A tool as the caller knows it. */
export type NamedTool = { readonly tool: Tool; readonly namespace: string | undefined }

/** The name under which models of the chat dialect know a tool: they know no namespaces. */
export const chatNameOf = (name: string, namespace?: string | null): string =>
  namespace ? `${namespace}__${name}` : name

/** The tools of a request, by their names in the chat dialect; adds the issues of those that are malformed. */
export function readTools(
  { tools }: Pick<ResponsesInput, 'tools'>,
  issues: Issue[] = [],
): ReadonlyMap<string, NamedTool> {
  const named = (tools ?? []).flatMap((given, at): readonly NamedTool[] => {
    const read = anyTool.safeParse(given)
    if (!read.success) issues.push(...toNestedIssues(read.error, given, `tools.${at}`))
    else if (read.data.type !== 'namespace') return [{ tool: read.data, namespace: undefined }]
    else {
      const { name: namespace, tools: inner } = read.data
      return inner.map((tool) => ({ tool, namespace }))
    }
    return []
  })
  return new Map(named.map((one) => [chatNameOf(one.tool.name, one.namespace), one]))
}

/** The argument of a custom tool, whose input is text: models of the chat dialect know only functions. */
const TEXT_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

export function toChatTool(name: string, { tool }: NamedTool): NonNullable<ChatInput['tools']>[number] {
  const { description } = tool
  const isCustom = tool.type === 'custom'
  const parameters = isCustom ? TEXT_PARAMETERS : tool.parameters
  const strict = isCustom ? null : tool.strict
  return {
    type: 'function',
    function: {
      name,
      ...(description && { description }),
      ...(parameters && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}
