import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

export const ICON_STYLES = ['solid', 'regular', 'brands'] as const
export type IconStyle = (typeof ICON_STYLES)[number]

/** The shape of an icon in one style. */
export type IconOutline = {
  /** Width and height of the view box, in units of the path. */
  readonly width: number
  readonly height: number
  /** SVG path data. */
  readonly path: string
}

/** Outlines by style and name; `data/outlines.json.br` has an alias as the name that it stands for. */
export type OutlineTable = Readonly<Record<IconStyle, Readonly<Record<string, IconOutline | string>>>>

let loaded: ReadonlyMap<string, IconOutline> | undefined

/** The styles of an icon, found by its current name or any alias; empty if there is no such icon. */
export function stylesOf(name: string): readonly IconStyle[] {
  return ICON_STYLES.filter((style) => outlineOf(name, style) !== undefined)
}

/** The outline of an icon, found by its current name or any alias. The first call reads all, in about 30 ms. */
export function outlineOf(name: string, style: IconStyle): IconOutline | undefined {
  loaded ??= readOutlines()
  return loaded.get(`${style}/${name}`)
}

/** Paths of all icons and aliases, such as `solid/bell`. */
export function outlinePaths(): readonly string[] {
  loaded ??= readOutlines()
  return [...loaded.keys()]
}

function readOutlines(): ReadonlyMap<string, IconOutline> {
  const packed = readFileSync(new URL('data/outlines.json.br', import.meta.url))
  const table = JSON.parse(brotliDecompressSync(packed).toString()) as OutlineTable
  const outlines = new Map<string, IconOutline>()
  for (const style of ICON_STYLES)
    for (const [name, entry] of Object.entries(table[style])) {
      const outline = typeof entry === 'string' ? table[style][entry] : entry
      if (typeof outline === 'object') outlines.set(`${style}/${name}`, outline)
    }
  return outlines
}
