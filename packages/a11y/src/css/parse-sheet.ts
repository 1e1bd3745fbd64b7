import { type CssNode, type Declaration, generate, parse, type Rule } from 'css-tree'
import { expandShorthand, isRead, splitTop } from './properties.ts'
import { type CompiledSelector, compileSelector } from './selector.ts'

/** One declared property, after shorthands are expanded. */
export type CssDeclaration = {
  readonly property: string
  readonly value: string
  readonly isImportant: boolean
}

export type StyleRule = {
  readonly selectors: readonly CompiledSelector[]
  readonly declarations: readonly CssDeclaration[]
  /** The conditions of all enclosing `@media` rules. */
  readonly media: readonly string[]
}

/** Values are stored as written; computing them requires the element. */
const LOOSE = {
  parseValue: false,
  parseAtrulePrelude: false,
  parseCustomProperty: false,
} as const

/** Parses a style sheet with the browsers' error recovery: invalid parts are skipped, the rest applies. */
export function parseSheet(text: string): readonly StyleRule[] {
  const rules: StyleRule[] = []
  const visit = (nodes: readonly CssNode[], media: readonly string[]) => {
    for (const node of nodes) {
      if (node.type === 'Rule') {
        const rule = toStyleRule(node, media)
        if (rule) rules.push(rule)
      } else if (node.type === 'Atrule' && node.block) {
        const inside = node.block.children.toArray()
        const prelude = node.prelude ? generate(node.prelude) : ''
        if (node.name === 'media') visit(inside, [...media, prelude])
        else if (node.name === 'supports' || node.name === 'layer') visit(inside, media)
      }
    }
  }
  const sheet = parse(text, { ...LOOSE, onParseError: () => undefined })
  if (sheet.type === 'StyleSheet') visit(sheet.children.toArray(), [])
  return rules
}

/** Parses the value of a `style` attribute without css-tree, which is slow on many short texts. */
export function parseStyleAttribute(text: string): readonly CssDeclaration[] {
  return splitTop(text.replace(/\/\*[\s\S]*?\*\//g, ' '), /;/).flatMap((part) => {
    const colon = part.indexOf(':')
    if (colon < 0) return []
    const written = part.slice(colon + 1).trim()
    const value = written.replace(/\s*!\s*important$/i, '')
    return toLonghands(part.slice(0, colon).trim(), value, value !== written)
  })
}

function toStyleRule(node: Rule, media: readonly string[]): StyleRule | null {
  const declarations = toDeclarations(node.block.children.toArray())
  if (declarations.length === 0) return null
  // css-tree leaves what it cannot parse as raw text; browsers drop such a rule entirely.
  if (node.prelude.type !== 'SelectorList') return null
  const selectors = node.prelude.children
    .toArray()
    .map((one) => (one.type === 'Selector' ? compileSelector(one) : null))
    .filter((one) => one !== null)
  return selectors.length > 0 ? { selectors, declarations, media } : null
}

function toDeclarations(nodes: readonly CssNode[]): readonly CssDeclaration[] {
  return nodes
    .filter((node): node is Declaration => node.type === 'Declaration')
    .flatMap((node) => toLonghands(node.property, generate(node.value).trim(), node.important !== false))
}

function toLonghands(name: string, value: string, isImportant: boolean): readonly CssDeclaration[] {
  const isCustom = name.startsWith('--')
  const property = isCustom ? name : name.toLowerCase()
  if (!isCustom && !isRead(property)) return []
  return expandShorthand(property, value).map((longhand) => ({ ...longhand, isImportant }))
}
