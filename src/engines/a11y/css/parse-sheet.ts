import { type CssNode, type Declaration, generate, parse, type Rule } from 'css-tree'
import { expandShorthand, isRead, splitTop } from './properties.ts'
import { type CompiledSelector, compileSelector } from './selector.ts'

/** One property as a page sets it, shorthands taken apart. */
export type CssDeclaration = {
  readonly property: string
  readonly value: string
  readonly isImportant: boolean
}

export type StyleRule = {
  readonly selectors: readonly CompiledSelector[]
  readonly declarations: readonly CssDeclaration[]
  /** Of every `@media` around it. */
  readonly media: readonly string[]
}

/** Values stay as they are written: computing them needs the element. */
const LOOSE = {
  parseValue: false,
  parseAtrulePrelude: false,
  parseCustomProperty: false,
} as const

/** Reads a sheet as browsers do: what is broken is left out, the rest counts. */
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

/** Reads the value of a `style` attribute; by hand, since the parser needs long for many short texts. */
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
  // What the parser cannot read stays raw: browsers drop such a rule as a whole.
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
