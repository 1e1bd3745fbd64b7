import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { ImageOrder } from '../image-maker.ts'

/** Nodes by id, as written by ComfyUI's "Save (API Format)". */
const workflowSchema = z.record(
  z.string(),
  z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) }),
)
export type Workflow = z.output<typeof workflowSchema>

const NAMES = /\{\{(prompt|seed|width|height)\}\}/g

/**
 * Reads the operator's workflow, whose inputs hold the placeholders `{{prompt}}`, `{{seed}}`, `{{width}}` and
 * `{{height}}`.
 * @throws Error if the file is not such a workflow, or has no placeholder for the prompt
 */
export async function loadWorkflow(path: string): Promise<Workflow> {
  const text = await readFile(path, 'utf8')
  const read = workflowSchema.safeParse(JSON.parse(text))
  if (!read.success) throw new Error(`${path} is not a ComfyUI workflow in API format`)
  if (!text.includes('{{prompt}}')) throw new Error(`${path} contains no {{prompt}}`)
  return read.data
}

/** A workflow for one image. An input that consists of a placeholder alone becomes a number. */
export function fillWorkflow(workflow: Workflow, order: ImageOrder & { readonly seed: number }): Workflow {
  const { prompt, seed, size } = order
  const values: Record<string, string | number> = { prompt, seed, ...size }
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'string') return value
    const whole = /^\{\{(\w+)\}\}$/.exec(value)?.[1]
    if (whole !== undefined && whole in values) return values[whole]
    return value.replace(NAMES, (_, name: string) => String(values[name]))
  }
  const fillInputs = (inputs: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, fill(value)]))
  return Object.fromEntries(
    Object.entries(workflow).map(([id, node]) => [id, { ...node, inputs: fillInputs(node.inputs) }]),
  )
}
