import DefaultTheme from 'vitepress/theme'
import VersionSwitch from './VersionSwitch.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('VersionSwitch', VersionSwitch)
  },
}
