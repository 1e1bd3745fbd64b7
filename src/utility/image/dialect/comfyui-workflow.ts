import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { ImageOrder } from '../image-maker.ts'

/** Nodes by their ids, as ComfyUI's "Save (API Format)" writes them. */
const workflowSchema = z.record(
  z.string(),
  z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) }),
)
export type Workflow = z.output<typeof workflowSchema>

const NAMES = /\{\{(prompt|seed|width|height)\}\}/g

/**
 * Reads the operator's workflow, in whose inputs `{{prompt}}`, `{{seed}}`, `{{width}}` and `{{height}}` stand for
 * what is asked for.
 * @throws Error where the file is no such workflow, or has no place for the prompt
 */
export async function loadWorkflow(path: string): Promise<Workflow> {
  const text = await readFile(path, 'utf8')
  const read = workflowSchema.safeParse(JSON.parse(text))
  if (!read.success) throw new Error(`${path} is no ComfyUI workflow in its API format`)
  if (!text.includes('{{prompt}}')) throw new Error(`${path} has no {{prompt}} in it`)
  return read.data
}

/** A workflow for one picture. An input that is a name alone takes the number as a number. */
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
