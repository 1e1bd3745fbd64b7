import { readFile } from 'node:fs/promises'
import { ICON_STYLES, type IconStyle } from './icon-file.ts'

/** An icon of Font Awesome Free. */
export type Icon = {
  readonly name: string
  readonly label: string
  readonly styles: readonly IconStyle[]
  /** The makers' search terms. */
  readonly terms: readonly string[]
  /** Aliases and former names. */
  readonly aliases: readonly string[]
  /** Code point in the fonts, hexadecimal. */
  readonly unicode: string
  readonly categories: readonly string[]
}

type Family = {
  readonly label: string
  readonly unicode: string
  readonly aliases?: { readonly names?: readonly string[] }
  readonly search?: { readonly terms?: readonly (string | number)[] }
  readonly svgs?: { readonly classic?: Readonly<Record<string, unknown>> }
}

/** The SPDX identifier of the icons' licence. */
export const ICON_LICENCE = 'CC-BY-4.0'

/** The attribution that CC BY 4.0 section 3(a) requires wherever an icon or its description is shown. */
export const ICON_ATTRIBUTION =
  'Font Awesome Free 7.3.1 by @fontawesome - https://fontawesome.com - License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/'

/** The licence of the artwork does not cover the trademark. */
export const BRAND_NOTICE =
  'Brand icons are trademarks of their owners; use them only to represent the company, product or service to which they refer.'

/** Reads the icon descriptions of the installed package: 5 MB, most of which is SVG artwork that is discarded. */
export async function readIcons(): Promise<readonly Icon[]> {
  const [families, categories, shims] = await Promise.all(
    ['icon-families.json', 'categories.yml', 'shims.yml'].map(readMetadata),
  )
  const described = JSON.parse(families ?? '') as Readonly<Record<string, Family>>
  const groups = readCategories(categories ?? '')
  const formerNames = readFormerNames(shims ?? '')
  return Object.entries(described).map(([name, family]) => {
    const aliases = [...(family.aliases?.names ?? []), ...(formerNames.get(name) ?? [])]
    return {
      name,
      label: family.label,
      styles: ICON_STYLES.filter((style) => family.svgs?.classic?.[style] !== undefined),
      // The YAML parser turned some of them into numbers.
      terms: (family.search?.terms ?? []).map(String),
      aliases: [...new Set(aliases)].filter((alias) => alias !== name),
      unicode: family.unicode,
      categories: groups.get(name) ?? [],
    }
  })
}

function readMetadata(file: string): Promise<string> {
  const folder = new URL('metadata/', import.meta.resolve('@fortawesome/fontawesome-free/package.json'))
  return readFile(new URL(file, folder), 'utf8')
}

/** Categories of each icon: `<key>:`, below it `icons:` with `- <name>` lines, and `label: <text>`. */
function readCategories(yaml: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const block of yaml.split(/^(?=\S)/m)) {
    const label = /^ {2}label: (.+)$/m.exec(block)?.[1] ?? ''
    for (const [, name = ''] of block.matchAll(/^ {4}- (.+)$/gm)) {
      const existing = groups.get(unquoted(name)) ?? []
      groups.set(unquoted(name), [...existing, unquoted(label)])
    }
  }
  return groups
}

/** Version 4 names by current name: `<former>:`, below it `name: <current>` if it changed. */
function readFormerNames(yaml: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const block of yaml.split(/^(?=\S)/m)) {
    const former = /^(\S+):/.exec(block)?.[1]
    const name = /^ {2}name: (.+)$/m.exec(block)?.[1]
    if (former === undefined || name === undefined) continue
    names.set(unquoted(name), [...(names.get(unquoted(name)) ?? []), unquoted(former)])
  }
  return names
}

function unquoted(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2')
}
