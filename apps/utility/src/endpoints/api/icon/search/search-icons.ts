import { loadIconIndex } from '../../../../engines/icons/icon-index.ts'
import type { IconStyle } from '../../../../engines/icons/icon-outline.ts'
import { rankIcons } from '../../../../engines/icons/rank-icons.ts'

export type IconQuery = {
  readonly query: string
  readonly style: IconStyle | null
  readonly limit: number
}

/** The best matching icons, with the field names of `/api/icon/search`. Runs in a worker. */
export async function searchIcons({ query, style, limit }: IconQuery) {
  const index = await loadIconIndex()
  const ranked = rankIcons(index, query).flatMap(({ icon: at, score }) => {
    const icon = index.icons[at]
    return icon && (style === null || icon.styles.includes(style)) ? [{ icon, score }] : []
  })
  const best = ranked[0]?.score ?? 1
  return {
    total: ranked.length,
    icons: ranked.slice(0, limit).map(({ icon, score }) => ({
      name: icon.name,
      label: icon.label,
      styles: [...icon.styles],
      terms: [...icon.terms],
      aliases: [...icon.aliases],
      unicode: icon.unicode,
      score: Math.round((score / best) * 1000) / 1000,
    })),
  }
}
