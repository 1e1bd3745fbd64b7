/** Longhands that the rules use. */
const LONGHANDS = new Set(
  `display visibility color background-color background-image opacity filter mix-blend-mode font-size font-weight
   font-family letter-spacing word-spacing line-height position left right top bottom margin-left text-indent clip
   clip-path overflow-x overflow-y width max-width height transform rotate text-shadow white-space text-transform
   text-decoration-line border-style content`.split(/\s+/),
)
const SHORTHANDS = new Set(['background', 'font', 'overflow', 'text-decoration', 'border', 'inset'])
const WIDE = /^(?:inherit|initial|unset|revert|revert-layer)$/i

type Longhand = { readonly property: string; readonly value: string }

export function isRead(property: string): boolean {
  return LONGHANDS.has(property) || SHORTHANDS.has(property)
}

/** Expands a shorthand into the longhands that the rules use; other properties are returned unchanged. */
export function expandShorthand(property: string, value: string): readonly Longhand[] {
  switch (property) {
    case 'background':
      return expandBackground(value)
    case 'font':
      return expandFont(value)
    case 'overflow': {
      const [x = 'visible', y = x] = value.split(/\s+/)
      return [
        { property: 'overflow-x', value: x },
        { property: 'overflow-y', value: y },
      ]
    }
    case 'inset': {
      const [top = 'auto', right = top, bottom = top, left = right] = value.split(/\s+/)
      const sides = { top, right, bottom, left }
      return Object.entries(sides).map(([side, length]) => ({ property: side, value: length }))
    }
    case 'text-decoration':
      return [{ property: 'text-decoration-line', value }]
    case 'border':
      return [{ property: 'border-style', value }]
    default:
      return [{ property, value }]
  }
}

const IMAGE =
  /(?:url|(?:repeating-)?(?:linear|radial|conic)-gradient|image-set|cross-fade|element|-webkit-[a-z-]+)\(/i
/** A colour among the positions and sizes of a `background` value. */
const COLOUR_FUNCTION = /\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/i
const NO_COLOUR =
  /^(?:none|repeat(?:-[xy])?|no-repeat|space|round|scroll|fixed|local|top|bottom|left|right|center|cover|contain|auto|(?:border|padding|content)-box|text|\/|,|[\d.+-].*|calc\(.*)$/i

function expandBackground(value: string): readonly Longhand[] {
  if (WIDE.test(value) || value.includes('var('))
    return [
      { property: 'background-color', value },
      { property: 'background-image', value: value.includes('var(') ? 'none' : value },
    ]
  const words = splitTop(value)
  const images = words.filter((word) => IMAGE.test(word))
  const colour = words.find(
    (word) => COLOUR_FUNCTION.test(word) || (!IMAGE.test(word) && !NO_COLOUR.test(word)),
  )
  return [
    { property: 'background-color', value: colour?.replace(/,$/, '') ?? 'transparent' },
    { property: 'background-image', value: images.length > 0 ? images.join(', ') : 'none' },
  ]
}

const FONT_SIZE =
  /^((?:[\d.]+(?:px|pt|pc|em|rem|ex|ch|vw|vh|cm|mm|in|%)|(?:xx?|xxx)-(?:small|large)|small|medium|large|smaller|larger))(?:\/(.+))?$/i

function expandFont(value: string): readonly Longhand[] {
  if (WIDE.test(value))
    return ['font-size', 'font-weight', 'line-height'].map((property) => ({ property, value }))
  const words = splitTop(value)
  const sized = words.map((word) => FONT_SIZE.exec(word)).find((match) => match !== null)
  const weight = words.find((word) => /^(?:bold|bolder|lighter|[1-9]\d{0,2}|1000)$/i.test(word))
  if (!sized) return []
  return [
    { property: 'font-size', value: sized[1] ?? 'medium' },
    { property: 'font-weight', value: weight ?? 'normal' },
    { property: 'line-height', value: sized[2] ?? 'normal' },
  ]
}

/** Splits at white space and commas outside parentheses, and drops slashes. */
export function splitTop(value: string, separator: RegExp = /[\s,]/): readonly string[] {
  const parts: string[] = []
  let [depth, part] = [0, '']
  for (const letter of value) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (depth === 0 && separator.test(letter)) {
      if (part !== '') parts.push(part)
      part = ''
    } else part += letter
  }
  if (part !== '') parts.push(part)
  return parts
}
