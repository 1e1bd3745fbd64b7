import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { IconStyle } from './icon-outline.ts'

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

/** The release that `data/` is made from. */
const VERSION = '7.3.1'

/** The SPDX identifier of the icons' licence. */
export const ICON_LICENCE = 'CC-BY-4.0'

/** The attribution that CC BY 4.0 section 3(a) requires wherever an icon or its description is shown. */
export const ICON_ATTRIBUTION = `Font Awesome Free ${VERSION} by @fontawesome - https://fontawesome.com - License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/`

/** The comment in the authors' SVG files. */
export const ICON_CREDIT = `! Font Awesome Free ${VERSION} by @fontawesome - https://fontawesome.com License - https://fontawesome.com/license/free (Icons: CC BY 4.0, Fonts: SIL OFL 1.1, Code: MIT License) Copyright 2026 Fonticons, Inc.`

/** The licence of the artwork does not cover the trademark. */
export const BRAND_NOTICE =
  'Brand icons are trademarks of their owners; use them only to represent the company, product or service to which they refer.'

/** Reads the descriptions of all icons, which `tools/refresh-icons.ts` writes. */
export async function readIcons(): Promise<readonly Icon[]> {
  const packed = await readFile(new URL('data/icons.json.br', import.meta.url))
  return JSON.parse((await promisify(brotliDecompress)(packed)).toString()) as readonly Icon[]
}
