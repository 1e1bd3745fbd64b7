import { textContent } from 'domutils'
import { parseTree } from '../html-tree.ts'
import type { JsonLd } from './json-ld.ts'

/** Content that a page repeats in its JSON-LD. */
export type DeclaredContent = {
  /** Running texts: bodies of articles, answers, descriptions of products. */
  readonly texts: readonly string[]
  /** Ingredients and steps of recipes, one each. */
  readonly lines: readonly string[]
  /** Prices of offers. */
  readonly prices: readonly number[]
}

const TEXTS = new Set(['articlebody', 'reviewbody', 'text', 'description'])
const LINES = new Set(['recipeingredient', 'ingredients', 'recipeinstructions', 'itemlistelement', 'step'])
const PRICES = new Set(['price', 'lowprice', 'highprice'])
/** Types whose description is a part of the content. */
const DESCRIBED = /^(?:product|productgroup|recipe|event|jobposting|course|howto|softwareapplication)$/i
/** Depth limit, so that nesting cannot exhaust the stack. */
const MAX_DEPTH = 12
/** Characters of all texts; more are a database. */
const MAX_CHARS = 200_000

/** Collects the content that the JSON-LD of a page declares. */
export function readDeclaredContent(blocks: readonly JsonLd[]): DeclaredContent {
  const found = { texts: [] as string[], lines: [] as string[], prices: [] as number[] }
  let chars = 0
  const take = (list: string[], value: string) => {
    const text = toText(value)
    chars += text.length
    if (text !== '' && chars <= MAX_CHARS) list.push(text)
  }
  const visit = (value: unknown, name: string, isInLines: boolean, depth: number) => {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(value)) for (const item of value) visit(item, name, isInLines, depth + 1)
    else if (PRICES.has(name)) found.prices.push(...toPrices(value))
    else if (typeof value === 'string') {
      if (isInLines && (LINES.has(name) || name === 'text' || name === 'name')) take(found.lines, value)
      else if (TEXTS.has(name)) take(found.texts, value)
    } else if (typeof value === 'object' && value !== null) {
      const type = Object.entries(value).find(([key]) => key === '@type')?.[1]
      for (const [key, inner] of Object.entries(value)) {
        const lower = key.toLowerCase()
        if (lower === 'description' && !(typeof type === 'string' && DESCRIBED.test(type))) continue
        visit(inner, lower, isInLines || (LINES.has(lower) && lower !== 'itemlistelement'), depth + 1)
      }
    }
  }
  for (const block of blocks) if (block.valid) visit(block.data, '', false, 0)
  return found
}

function toPrices(value: unknown): number[] {
  const price = typeof value === 'string' ? Number(value.replace(/[^\d.]/g, '')) : value
  return typeof price === 'number' && Number.isFinite(price) && price > 0 ? [price] : []
}

function toText(value: string): string {
  // Without tags the parser only decodes entities.
  const text = value.replace(/<[^>]{0,500}>|</g, ' ')
  return (text.includes('&') ? textContent(parseTree(text)) : text).replace(/\s+/g, ' ').trim()
}
