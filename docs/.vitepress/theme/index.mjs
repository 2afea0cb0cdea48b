// The default theme without its font: the pages load nothing but their own scripts and styles.
import DefaultTheme from 'vitepress/theme-without-fonts';

export default DefaultTheme;
