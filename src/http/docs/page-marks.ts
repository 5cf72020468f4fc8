/** Stands in the page for the address under which its reader reached the service. */
export const baseUrlMark = '{base_url}';
/** Stands in code for the reader's API key; assets/docs.js puts the key there when it is copied. */
export const keyMark = 'YOUR_API_KEY';
