/** The SPDX identifier of the icons' licence. */
export const ICON_LICENCE = 'CC-BY-4.0'

/** The attribution that CC BY 4.0 section 3(a) requires wherever an icon or its description is shown. */
export const ICON_ATTRIBUTION =
  'Font Awesome Free 7.3.1 by @fontawesome - https://fontawesome.com - License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/'

/** The licence of the artwork does not cover the trademark. */
export const BRAND_NOTICE =
  'Brand icons are trademarks of their owners; use them only to represent the company, product or service to which they refer.'
